/**
 * Every binding sentence of the documents that Savepoint implements, in words of our own. A test cites an id
 * in its title, `[004.12]`; test/ground/requirements.test.ts fails where an id has no test or a test an unknown id.
 */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  '004.01': 'A snapshot is one JSON document with the same top-level fields in the same order every time.',
  '004.02':
    'Its id is stable, unique and has the form cp_<timestamp>_<suffix>, also for saves in one second.',
  '004.03': 'created_at is an RFC 3339 time in UTC.',
  '004.04': 'run_id ties every snapshot of one run together.',
  '004.05': 'source is step_boundary, error_boundary, timer or manual; other triggers take the nearest one.',
  '004.06': 'status is in_progress, failed, completed or paused.',
  '004.07': 'step_state names the plan, and the step with its id, ordinal and status.',
  '004.08':
    'todo_compliance says whether the plan was followed, with the violations and when that was checked.',
  '004.09': 'resume_hints say whether the run may go on, why, and what comes next, computed from the run.',
  '004.10': 'window_pressure is low, medium or high, after the real use of the context window.',
  '004.11': 'protected_artifacts names what must be kept.',
  '004.12': 'dropped_items counts what caps cut.',
  '004.13': 'policy_profile is the id of the profile that is active.',
  '004.14': 'command_outcomes holds what commands and tools came to since the snapshot before.',
  '004.15': 'Outcomes are bounded in number and length, with fixed kinds and results and a duration.',
  '004.16': 'An outcome may carry a reason code.',
  '004.17':
    'integrity holds a checksum and the format version; without it, or with another version, nothing loads.',
  '004.20': 'A snapshot is written after a step enters in_progress.',
  '004.21': 'A snapshot is written after a step is done, failed or skipped.',
  '004.22': 'A snapshot is written right after a recoverable error is classified.',
  '004.23': 'A snapshot is written right before a forced stop.',
  '004.24': 'A heartbeat writes a snapshot every 120 seconds while the run is in progress.',
  '004.25': 'A snapshot is written when somebody asks for one.',
  '004.26':
    'Two triggers within 3 seconds without a material change keep one snapshot, with both sources told.',
  '004.30': 'The latest 50 snapshots of a run are kept.',
  '004.31': 'The latest failed and the latest completed snapshot of a run are always kept.',
  '004.32': 'Snapshots older than 14 days go, unless they are preserved terminal ones.',
  '004.33': 'The active file of a run is checkpoints/<run_id>/latest.json.',
  '004.34': 'History is immutable, in checkpoints/<run_id>/history/<snapshot_id>.json.',
  '004.35': 'The write order is temp file, fsync, atomic rename, then latest.json.',
  '004.36': 'History older than 24 hours may be compressed with gzip, and stays readable in every way.',
  '004.37': 'latest.json is never compressed.',
  '004.38': 'Checksums are kept for the compressed and the uncompressed form.',
  '004.40': 'A corrupted file never overwrites latest.json.',
  '004.41': 'A file that is not a valid snapshot is refused as checkpoint_schema_invalid.',
  '004.42': 'A file whose content was changed is refused as checkpoint_integrity_mismatch.',
  '004.43': 'A write that did not go through is checkpoint_atomic_write_failed.',
  '004.44': 'Retention that could not be done is checkpoint_retention_prune_failed.',
}
