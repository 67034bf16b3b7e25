/**
 * The database's shape, one step after another; a step's position is its version. Within a major version
 * steps only add, so that an older program beside a newer one goes on working. A step is never edited.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE workspaces (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    path TEXT NOT NULL,
    seen_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE streams (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    head_id TEXT NOT NULL,
    head_seq INTEGER NOT NULL,
    live INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    maintained_at TEXT,
    UNIQUE (repository, kind, name_key)
  ) STRICT;

  CREATE TABLE checkpoints (
    id TEXT PRIMARY KEY,
    stream TEXT NOT NULL REFERENCES streams (id),
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    progress TEXT NOT NULL,
    hash TEXT NOT NULL,
    body TEXT,
    removed_at TEXT,
    gist TEXT NOT NULL DEFAULT '{"step":null,"stepsDone":0,"steps":0}',
    UNIQUE (stream, seq),
    CHECK ((body IS NULL) = (removed_at IS NOT NULL))
  ) STRICT;

  CREATE TRIGGER checkpoints_are_immutable BEFORE UPDATE ON checkpoints
  WHEN NOT (
    OLD.body IS NOT NULL AND NEW.body IS NULL AND OLD.id = NEW.id AND OLD.stream = NEW.stream
    AND OLD.seq = NEW.seq AND OLD.at = NEW.at AND OLD.progress = NEW.progress AND OLD.hash = NEW.hash
  )
  BEGIN SELECT RAISE(ABORT, 'a checkpoint is immutable'); END;

  -- A row without a hash only holds the place of one that was lost, until that is found.
  CREATE TRIGGER checkpoints_stay BEFORE DELETE ON checkpoints WHEN OLD.hash <> ''
  BEGIN SELECT RAISE(ABORT, 'a checkpoint leaves a tombstone'); END;

  CREATE TABLE notes (
    checkpoint TEXT NOT NULL REFERENCES checkpoints (id),
    n INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (checkpoint, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE pins (checkpoint TEXT PRIMARY KEY REFERENCES checkpoints (id)) STRICT;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream TEXT NOT NULL REFERENCES streams (id),
    at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_of_stream ON events (stream, seq);

  CREATE TABLE views (
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    path TEXT NOT NULL,
    stream TEXT NOT NULL REFERENCES streams (id),
    checkpoint TEXT NOT NULL REFERENCES checkpoints (id),
    hash TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'published', 'leaving')),
    PRIMARY KEY (workspace, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX views_of_stream ON views (stream, state);
  `,
]

/** The oldest version that may still write to a database of the newest shape. */
export const OLDEST_WRITER = 1
