/**
 * Every binding sentence of the documents that Savepoint implements, in words of our own. A test cites an id
 * in its title, `[004.12]`; test/ground/requirements.test.ts fails where an id has no test or a test an unknown id.
 */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  '000.01':
    'A document is a front matter, then Problem, Session Intent, Essential Information in seven parts, and User Rules, in this order.',
  '000.02': 'checkpoint is required and holds the id, which is unique, such as chk-001 or session-abc-003.',
  '000.03': 'created is required and is the ISO-8601 time at which the document was made.',
  '000.04': 'anchor may name the turn or phase up to which the document tells.',
  '000.05': 'last_delta may be there, and is the ISO-8601 time of the last delta.',
  '000.06': 'parent may be there, and is the id of the document from which this one was forked.',
  '000.07': 'status may be there, and is current or active.',
  '000.08': 'No two documents have the same id.',
  '000.10': 'Exactly one document is current: the one that is worked on right now.',
  '000.11': 'An active document is in progress without being the one in focus.',
  '000.12': 'A document that has no status is active.',
  '000.13':
    'status counts in active/ alone: in the archive it means nothing, where the file lies says that it is archived.',
  '000.14': 'When focus moves on, the document that had it goes from current to active.',
  '000.15': 'No two documents in active/ say current at the same time.',
  '000.16': 'A tool that meets several current documents says so.',
  '000.17': 'Making a document current takes that from the one before first.',
  '000.18': 'Where documents are active and none is current, doctor says so, and how to choose one.',
  '000.20': 'A document without a parent is a root: a stream of work of its own.',
  '000.21': 'A forked document names the one that it came from.',
  '000.22': 'One parent may have several children side by side.',
  '000.23': 'A command draws the lineage of the documents.',
  '000.25': 'Problem is required: a statement that stays the same.',
  '000.26': 'Session Intent is required: the goal, what it must satisfy, the outcome that is wished for.',
  '000.27': 'Decisions is required: choices that are settled and not to be asked again.',
  '000.28': 'Technical Context is required: stack, configuration and environment.',
  '000.29': 'Play-By-Play is required: what was done, as step, action and outcome.',
  '000.30':
    'Artifact Trail is required: a table of file, status and key change for the files that were created, modified or deleted.',
  '000.31': 'Current State is required: what is there now.',
  '000.32': 'Next Actions is required: what is to come, and what blocks it.',
  '000.33':
    'Breadcrumbs may be there: a table of type, reference and hint for a file by its path, a function by its name, a decision by phase and topic, and something external by its URL or identifier, no more than it takes to find the context again.',
  '000.34': 'User Rules may be there: constraints and wishes that the agent follows.',
  '000.35': 'Completion is there in an archived document alone.',
  '000.36':
    'No type of breadcrumb but file, function, decision and external and no state of a file but created, modified and deleted is ever written; others are reported.',
  '000.40': 'Each checkpoint, and compressing, carries the problem on as it is.',
  '000.41': 'Each checkpoint, and compressing, changes the intent only where the goal has moved.',
  '000.42': 'Decisions accumulate, and neither a checkpoint nor compressing drops one.',
  '000.43': 'Each checkpoint, and compressing, changes the technical context only where it has changed.',
  '000.44': 'Compressing sums up older play-by-play and keeps the recent in detail.',
  '000.45': 'Compressing takes finished files from the artifact trail and keeps those still worked on.',
  '000.46': 'Each checkpoint replaces the current state as a whole, where it says it.',
  '000.47': 'Each checkpoint replaces the next actions as a whole, where it says them.',
  '000.48': 'Merging deltas takes out breadcrumbs that have gone stale.',
  '000.49': 'Each checkpoint, and compressing, carries the user’s rules on unless they have changed.',
  '000.52':
    'Under token pressure what may be summed up goes first, then what should be kept, and what must be kept stays.',
  '000.53':
    'Problem, intent, decisions that stand, current state and next actions are never dropped or shortened, whatever the budget: an absolute budget that they do not fit is refused, and nothing is written.',
  '000.54':
    'Recent files, recent actions, technical context and breadcrumbs are cut only where the budget needs it, stale breadcrumbs first, and before anything that must be kept is in question.',
  '000.55':
    'Older actions, finished files and decisions that only led here may be cut down hard, to a summary.',
  '000.60': 'The end of a phase is a reason for a checkpoint.',
  '000.61': 'A weighty choice of the user is a reason for a checkpoint.',
  '000.62': 'A change of direction is a reason for a checkpoint.',
  '000.63':
    'The end of a session is a reason for a checkpoint, which is taken by itself and has the work up to there.',
  '000.64':
    'A context window that fills up is a reason for a checkpoint, which is taken by itself before it is compacted.',
  '000.66': 'A delta is a section at the end of its document, never a file of its own.',
  '000.67': 'A delta stands after a rule, and its heading holds an ISO-8601 time.',
  '000.68': 'A delta must say in a sentence what changed.',
  '000.69':
    'A delta must have a table of file, action and description for what it created, modified or deleted.',
  '000.70': 'A delta may have a table of item, before and after for what went from which state to which.',
  '000.71':
    'A delta is for work worth keeping: since the document or its last delta was made, before a session ends, when main files were created or changed.',
  '000.72': 'Adding a delta sets last_delta to its time.',
  '000.73': 'One file holds the whole state, and its history in git shows how it grew.',
  '000.75':
    'Archiving takes the learnings out of the document and adds them to checkpoints/LEARNINGS.md by itself.',
  '000.76': 'LEARNINGS.md grows: what older documents taught stays in it.',
  '000.77':
    'LEARNINGS.md has a title and, newest first, a heading of date and id with a bullet for each learning.',
  '000.78': 'The learnings are those of the field Learnings in the completion.',
  '000.79': 'Learnings that say none, in whatever words, add nothing.',
  '000.80':
    'The start of a session reads checkpoints/LEARNINGS.md, whoever wrote into it, and tells what was learned without a look into the archive, also where nothing else is saved.',
  '000.81':
    'A document that was moved to the archive by hand gives its learnings to LEARNINGS.md once, and where git tracks that file, by a command that asks for it.',
  '000.84': 'An archived document lies in archive/ and no longer in active/.',
  '000.85': 'A completion holds the status Archived, the outcome and an ISO-8601 date.',
  '000.86': 'The completion is added by archiving, and by nothing else.',
  '000.90': 'A document is enough by itself to go on with the work.',
  '000.91': 'A document says much in few tokens; what is saved is measured.',
  '000.92':
    'Checkpoints are taken by themselves at natural breaks (the end of a session, a window that begins to fill), before a limit forces one.',
  '000.93': 'Work can be taken up again from any checkpoint, not just the last.',
  '000.94': 'A checkpoint is where work stood at one moment, with no more than is needed to resume.',
  '001.01': '/checkpoint takes a brief summary of where work stands, and asks for it where it is left out.',
  '001.02':
    'A note holds what is being done, why, and what comes next, enough to go on without working it out again.',
  '001.03':
    'The end of a session, a window that fills up, a decision that is not obvious and a change of task are reasons to save; the agent is told so, and a save can name its own.',
  '001.04':
    "Without a summary three things are asked, in these words: What are you currently working on? What key decisions were made (and why)? What's the next action?",
  '001.05': 'Where nobody can be asked, save does not wait.',
  '001.06':
    'Where .claude/state-index.json names an active plan, the note lies in .claude/plans/<plan>/checkpoints/.',
  '001.07': 'Without an index, or without an active plan in it, the note lies in .claude/checkpoints/.',
  '001.08':
    'By /checkpoint the folder of the notes is made where it is missing, with every folder on the way, in both places.',
  '001.09':
    'A note is named by its time in UTC, to the second: YYYYMMDDTHHMMSSZ.json; only a second one of that second has a number behind it.',
  '001.10':
    'A note is a JSON object with timestamp, summary, decisions, next_action, blockers and context, in that order.',
  '001.11': 'timestamp is an ISO-8601 time.',
  '001.12': 'summary is one text: what is being worked on, and because of what.',
  '001.13':
    'decisions is a list of texts, each a choice with its reason, or what was put off and until when.',
  '001.14': 'next_action is one text: what to do first when the work is resumed.',
  '001.15': 'blockers is a list, and empty where nothing blocks.',
  '001.16': 'context holds active_plan, active_plan_stage, active_tdd_phase and files_in_progress.',
  '001.17': 'A plan, stage or phase that is not active is null; a stage may be a number or a name.',
  '001.18':
    'After a save a banner titled CHECKPOINT SAVED shows Location, Summary, Decisions with how many were recorded, and Next, in this order.',
  '001.19':
    'The banner says "This context will be surfaced on next session start." where a hook will do so, and nowhere else.',
  '001.20':
    'Where an index exists, its last_checkpoint is set to the time of the save, in UTC to the second.',
  '001.21': 'Setting last_checkpoint changes nothing else in the index.',
  '001.22': 'The index is replaced at once as a whole; one that cannot be read is reported and left alone.',
  '001.23': 'At the start of a session the latest note is read and surfaced, whichever tool wrote it.',
  '001.24':
    "A command shows the note of the active plan with the newest timestamp, the one that the format's own command finds.",
  '001.25':
    "A command shows the note that belongs to no plan with the newest timestamp, the one that the format's own command finds.",
  '001.26': 'A note that cannot be read is passed over and named, and the others are still found.',
  '001.27':
    'Notes are only ever added: none is changed or overwritten, and two saves in one second are two notes.',
  '001.28': 'Old notes are not deleted.',
  '001.29': 'Of all notes, and of all checkpoints of a piece of work, a start tells only the latest.',
  '001.30':
    '/dashboard shows the full active state in one screen: plan, stage, TDD phase, sessions, window, runs and the last note.',
  '001.31':
    '/checkpoint is the command that saves: with a summary it asks nothing, without one it asks the three questions, and it always leaves a note.',
  '002.01': 'A session that starts is active, and in activeSessions until it ends.',
  '002.02': 'A session that ends is recent, and in recentHistory for 72 hours.',
  '002.03':
    'An active session without activity for more than an hour is stale: in activeSessions still, and flagged, until it is reconciled.',
  '002.04': 'A stale session that is reconciled is recent.',
  '002.05':
    'A recent session is archived after more than 72 hours, and in no part of the registry from then on.',
  '002.06': 'Sessions are followed by themselves: nobody has to give a command for it.',
  '002.07': 'Work that broke off in a crash can be resumed from what was recorded of its session.',
  '002.10': "At its start the session's id is recorded, the client's own.",
  '002.11': 'At its start the source of a session is recorded: startup, resume or clear.',
  '002.12': 'At its start the branch and the commit of git are recorded.',
  '002.13': 'At its start the working directory is recorded.',
  '002.14': 'At its start the permission mode is recorded.',
  '002.15': 'At its start the path of the transcript is recorded.',
  '002.20':
    'The events of a session are logged as they are heard, and of more than 100 the newest 100 are kept.',
  '002.21': 'A session has the outcomes that it is focused on.',
  '002.22': 'A session has how often it used each tool.',
  '002.23':
    'A session has the files that it modified, from the root of the project; one outside is absolute.',
  '002.24': 'Of a session that ended it is known how long it lasted, from its start to its end.',
  '002.25': 'Of a session that ended it is known how many tokens it consumed, by its transcript.',
  '002.26': 'Of a session that ended it is known how many tasks were completed and how many failed.',
  '002.27': 'Of a session that ended it is known how many git commits it made.',
  '002.28': 'Of a session that ended it is known what it accomplished.',
  '002.29':
    'How many files are uncommitted is known while a session goes on, and of one that ended from the next look on; where git may not be asked, nobody knows.',
  '002.30': 'lastWorked names the last session that ended and did something, and when it was completed.',
  '002.31': 'lastWorked has the outcomes, each with its id, name, last task and a summary of the work.',
  '002.32':
    'lastWorked has a context: gitBranch, filesModified from the root of the project, keyDecisions and nextSteps.',
  '002.33':
    'Whoever starts is told the tasks, key decisions and next steps of the last session, with sessions that broke off, and goes on from them.',
  '002.40': 'A session is found stale where it was silent for more than an hour and has not ended.',
  '002.41':
    'Whatever the cause, a crash, a lost network or a closed terminal: a session that only stops is found.',
  '002.42': 'A stale session has isStale true, and no other session has.',
  '002.43': 'lastActivityAt is the time at which a session was last heard of.',
  '002.44': 'staleSessionsDetected lists the stale sessions.',
  '002.45': '/context:info warns of stale sessions, and says how to reconcile them.',
  '002.46':
    'Reconciliation moves a stale session to the history, with the reason crash; a command does it, and so does the next start.',
  '002.50': '/context:info shows the id of the session and how long it lasts.',
  '002.51': '/context:info shows statistics: events, files, tasks and tokens.',
  '002.52': '/context:info shows the outcomes in focus.',
  '002.53': '/context:info sums up the last session: what was done and decided, and what comes next.',
  '002.54': '/context:checkpoint records what the session accomplished so far.',
  '002.55': '/context:checkpoint records key decisions.',
  '002.56': '/context:checkpoint records the next steps.',
  '002.57': '/context:checkpoint brings the statistics of its session up to date.',
  '002.58':
    'The commands of a session are /context:info, /context:checkpoint, /context:compact and /context:budget.',
  '002.60': '/context:compact sums up the conversation so far.',
  '002.61': '/context:compact archives intermediate results, and they can be shown again.',
  '002.62': '/context:compact keeps the essential context, and no more of it.',
  '002.63': '/context:compact reports how many tokens are saved.',
  '002.65': '/context:budget shows what is consumed.',
  '002.66': '/context:budget shows the headroom that is left.',
  '002.67': '/context:budget says what to give to a helper, or from when on that is advised.',
  '002.68': '/context:budget warns at its thresholds, 70 and 85 percent of the window.',
  '002.69': '/context:budget shows its warning thresholds, and where the window stands between them.',
  '002.70': 'tokensConsumed is counted as the API counted it.',
  '002.71': 'filesModified are the files of Write and Edit calls that went well.',
  '002.72': 'tasksCompleted counts the operations that succeeded.',
  '002.73': 'tasksFailed counts the responses that were errors.',
  '002.74': 'gitCommits counts the commits that were made through the shell.',
  '002.75': 'toolUsageCounts counts the calls by the name of the tool.',
  '002.76': 'subagentsLaunched counts the calls that started a sub-agent.',
  '002.77': 'What a session did is read from its transcript when it has ended, also where it never said so.',
  '002.80': 'Accomplishments that somebody gave are told as they were given.',
  '002.81':
    'Where nobody gave any, accomplishments come from the files modified, the commits made, the tasks completed and the outcomes worked on.',
  '002.85': 'indexByOutcome has, by the path of each outcome, the sessions that worked on it.',
  '002.86': 'indexByBranch has, by branch, the sessions that worked there.',
  '002.87': 'Sessions can be found by outcome and by branch.',
  '002.90': 'The hooks at the start and the end of a session do what its lifecycle needs.',
  '002.91':
    'A risky operation ahead, a milestone, a growing context and a change of focus are reasons for a checkpoint by hand; the agent is told so, and a save can name its own.',
  '002.92': 'Recent history prunes itself after 72 hours, and what was saved in an archived session stays.',
  '002.93': 'An archived session is deleted from the registry: no part of it names it any more.',
  '002.94': 'The registry is one document, which can be kept as a file.',
  '003.01': 'A ledger is written only where session.ledger is true in .agents.yml.',
  '003.02':
    'Where it is false or missing, the answer is "Checkpoint skipped - session.ledger not enabled in .agents.yml", and no file is made.',
  '003.03': 'session.ledger_path says where the ledger lies; without it, at .agents/session_ledger.md.',
  '003.04':
    'The folder of the ledger is made where it is missing, also for a path from the settings, at any depth.',
  '003.05': 'Each worktree has a ledger of its own.',
  '003.06':
    'Handoffs go to the main worktree, into .agents/handoffs/, and stay there: no later one replaces one.',
  '003.07': 'A ledger is titled Session Ledger, and its second line says when it was last updated.',
  '003.08': 'Goal says what is being worked on, with what it must satisfy where that is known.',
  '003.09':
    'Constraints/Assumptions is a list of known limits, of what is taken for granted and of what was settled before.',
  '003.10': 'Key Decisions is a list of the main choices that were made.',
  '003.11':
    'State has Done, a list of what is finished; Now, the current focus; and Next, the step that is planned.',
  '003.12': 'Open Questions is a list of what is not settled, marked UNCONFIRMED where it is uncertain.',
  '003.13': 'Working Set has the key files, ids and commands, a line each.',
  '003.14': 'What is uncertain is marked UNCONFIRMED at its place in the ledger.',
  '003.15': 'Every section is there, in the same order, also where it has nothing to say.',
  '003.16':
    'After writing, three lines answer: "Checkpoint saved to" and the path, "- Goal:" and the goal, "- State:" with what is done, now and next.',
  '003.17':
    'At 70 percent of the context window a checkpoint is taken, into the ledger where there is one, before the window gets short, and the agent is told.',
  '003.18':
    'At 85 percent a checkpoint is taken at once, with the advice to clear and go on from what was saved.',
  '003.19': 'Work of several days is checkpointed at the end of each session.',
  '003.20':
    'Before and after a large change, and before a risky one, the skill asks for a checkpoint, and a save can name that reason.',
  '003.21': 'After each milestone the skill asks for a checkpoint, and a save can name it.',
  '003.22':
    'A quick task of less than half an hour, a simple fix, a change of one file and a session that was handed off need no checkpoint: the skill says so, a short task is not asked to save, and one that was handed off is neither asked nor advised.',
  '003.23':
    'Other agents, skills and programs can take a checkpoint, without a terminal: by the tool and by the command.',
  '003.24':
    'After a clear the ledger is loaded by itself, also one that Savepoint never wrote, and is the context again.',
  '003.25': 'What is marked UNCONFIRMED is put up for checking before work goes on.',
  '003.26':
    'Where there is a ledger, one to three questions are asked before work goes on: always whether its focus still holds, and whether what is marked UNCONFIRMED does.',
  '003.27': 'After that, work goes on from Now.',
  '003.28':
    'What is said of a file that may have changed outside is not taken for confirmed: the brief marks it, and asks about the focus; the skill marks it UNCONFIRMED.',
  '003.29': 'A wish of the user that was inferred and not said is unconfirmed.',
  '003.30': 'A technical decision without the word of the user is unconfirmed.',
  '003.31': 'What depends on an outside service or API of uncertain state is marked UNCONFIRMED at the save.',
  '003.32':
    'After two or three compactions a checkpoint is taken into the ledger, and the advice is to clear and reload rather than to compact again.',
  '003.33': 'Clearing and reloading the ledger gives back all of it: nothing that it says is lost.',
  '003.34': 'A session that ends without warning can be taken up from the ledger alone.',
  '003.35':
    'A handoff is made on purpose, by /handoff or its command, is structured, and tells a new session in detail, with how to go on.',
  '003.36':
    'The ledger has a place for the whole of the work, inside its sections: nothing that the next session needs is left out.',
  '003.37':
    'The questions are put in the words of the format: The ledger shows X was in progress - is this still the current focus? I see assumption Y marked UNCONFIRMED - can you confirm this?',
  '003.38':
    'The skill that writes the ledger is called session-checkpoint, the one that hands off is /handoff.',
  '003.39':
    'The tasks of a session are the list of its agent: they are read and told, and its files are never written.',
  '004.01':
    'A snapshot is one JSON document with nine top-level fields, the same ones in the same order every time: snapshot_id, created_at, run_id, source, status, step_state, context_digest, command_outcomes, integrity; source_details may stand beside them. A document with no other field is read everywhere.',
  '004.02':
    'snapshot_id is stable, unique and has the form cp_<timestamp>_<suffix>, also for saves in one second.',
  '004.03': 'created_at is an RFC 3339 time in UTC.',
  '004.04': 'run_id is the id of the execution or session, the same in every snapshot of it.',
  '004.05':
    'source is the trigger: step_boundary, error_boundary, timer or manual; our other triggers take the nearest one.',
  '004.06': 'status is how the execution stands: in_progress, failed, completed or paused.',
  '004.07':
    'step_state sums up the current step of the plan: plan_path, step_id, step_ordinal, step_status, todo_compliance, resume_hints, and nothing else.',
  '004.08':
    'todo_compliance has result, violations and checked_at: whether the plan was followed, how it was not, and when that was checked.',
  '004.09':
    'resume_hints have eligible, reason_code and next_actions: whether the run may go on, why, and what comes next, computed from the run.',
  '004.10': 'window_pressure is low, medium or high, after the real use of the context window.',
  '004.11':
    'protected_artifacts names paths or ids that must be kept: no cap cuts them, and no retention removes a snapshot among them.',
  '004.12': 'dropped_items is the count, and only the count, of what caps cut.',
  '004.13': 'policy_profile is the id of the resilience profile that is active.',
  '004.14': 'command_outcomes holds what commands and tools came to since the snapshot before.',
  '004.15': 'The entries of command_outcomes are bounded in number and in length.',
  '004.16': 'An outcome may carry a reason_code, and loads without one.',
  '004.17':
    'integrity holds a checksum and the format version; without it, or with another version, nothing loads.',
  '004.18':
    'context_digest has window_pressure, protected_artifacts, dropped_items and policy_profile, and nothing else.',
  '004.19':
    'An outcome has kind (shell, slash_command, tool_use), name, result (PASS, FAIL, WARN), duration_ms and summary.',
  '004.20': 'A snapshot is written after a step enters in_progress.',
  '004.21': 'A snapshot is written after a step reaches a terminal state: done, failed or skipped.',
  '004.22': 'A snapshot is written immediately after a recoverable error is classified.',
  '004.23': 'A snapshot is written immediately before a forced stop due to an unrecoverable error.',
  '004.24':
    'A heartbeat writes a snapshot every 120 seconds while the plan is in progress and run exec or a recorder lives; between commands the next event makes up for it.',
  '004.25':
    'A snapshot with the source manual is written when somebody explicitly asks for one, by run save or by save.',
  '004.26':
    'Where two triggers fire within 3 seconds with no material change of state, only one snapshot is kept.',
  '004.27': '/checkpoint takes the manual snapshot of the run in progress.',
  '004.28': 'The source of a trigger that was coalesced is appended to source_details.',
  '004.30':
    'The latest 50 snapshots of a run are kept; when a command ends there are no more, but for the preserved ones.',
  '004.31': 'The latest failed and the latest completed snapshot of a run are always preserved.',
  '004.32': 'Snapshots older than 14 days are pruned, unless they are preserved terminal ones.',
  '004.33': 'The active file of a run is checkpoints/<run_id>/latest.json, whoever wrote it.',
  '004.34': 'History is immutable, in checkpoints/<run_id>/history/<snapshot_id>.json.',
  '004.35': 'The write order is temp file, fsync, atomic rename, then latest.json.',
  '004.36':
    'History older than 24 hours may be compressed with gzip, as a setting says, and stays readable in every way.',
  '004.37': 'latest.json is never compressed.',
  '004.38': 'Checksums are kept for the compressed and for the uncompressed artifact.',
  '004.40': 'A corrupted snapshot file never overwrites latest.json, and is never loaded in its place.',
  '004.41': 'A file that is not a valid snapshot is refused as checkpoint_schema_invalid.',
  '004.42': 'A file whose content does not match its checksum is refused as checkpoint_integrity_mismatch.',
  '004.43': 'A write that did not go through is checkpoint_atomic_write_failed.',
  '004.44': 'Retention that could not be done is checkpoint_retention_prune_failed.',
  '004.45':
    'Errors of the parser and of validation are deterministic: the same file gives the same reason code, and only one of these.',
}

/**
 * Binding sentences that nothing keeps yet. No test may cite them; who builds such a thing moves its sentences up.
 * At present there are none.
 */
export const LATER: Readonly<Record<string, string>> = {}
