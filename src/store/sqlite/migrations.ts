/** What a search finds, all of it derived: dropped and made again where the index starts over. */
export const SEARCH_TABLES = `
  -- The number has the repository's number, a sequence and the kind in it (search-fill.ts).
  CREATE TABLE search_records (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    repository INTEGER NOT NULL,
    at TEXT NOT NULL,
    -- The latest time of this repository's records up to this one: it never falls with the number.
    high TEXT NOT NULL,
    branch TEXT,
    stream TEXT,
    checkpoint TEXT,
    -- Whether another record has its id: one that only text said which nobody had reviewed.
    again INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX search_by_id ON search_records (repository, id);
  CREATE INDEX search_by_time ON search_records (repository, high);
  CREATE INDEX search_by_checkpoint ON search_records (checkpoint) WHERE checkpoint IS NOT NULL;
  CREATE INDEX search_again ON search_records (repository, id) WHERE again = 1;

  CREATE VIRTUAL TABLE search_texts USING fts5 (
    text, branch, tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3 4'
  );

  -- What took a decision's place, or null that it stands again, each time that a checkpoint says so.
  CREATE TABLE search_superseded (
    seq INTEGER PRIMARY KEY,
    repository INTEGER NOT NULL,
    decision TEXT NOT NULL,
    checkpoint TEXT,
    superseded TEXT
  ) STRICT;
  CREATE INDEX search_by_decision ON search_superseded (repository, decision);

  CREATE TABLE search_repositories (
    number INTEGER PRIMARY KEY,
    repository TEXT NOT NULL UNIQUE,
    sequence INTEGER NOT NULL,
    high TEXT NOT NULL
  ) STRICT;

  -- Which version of a session is in the index.
  CREATE TABLE search_sessions (
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (agent, id)
  ) STRICT, WITHOUT ROWID;
  `

/** What a session's body says, or nothing where that is damaged. An index is used where a question says the same words. */
const inSession = (path: string) => `iif(json_valid(body), json_extract(body, '${path}'), NULL)`
export const SESSION_BRANCH = inSession('$.environment.gitBranch')
export const SESSION_STREAM = inSession('$.stream')
export const SESSION_PARENT = inSession('$.parent')
export const SESSION_OUTCOMES = inSession('$.outcomes')

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
  `
  -- The exact bytes of every version of a document that was ever seen, gzipped, by their SHA-256.
  CREATE TABLE texts (hash TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;

  -- Which checkpoint a version shows, and whether it asks for the focus. One that does not parse has a problem, and shows the last good one.
  CREATE TABLE versions (
    stream TEXT NOT NULL REFERENCES streams (id),
    hash TEXT NOT NULL REFERENCES texts (hash),
    checkpoint TEXT NOT NULL REFERENCES checkpoints (id),
    current INTEGER NOT NULL,
    problem TEXT,
    PRIMARY KEY (stream, hash)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE standings (
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    stream TEXT NOT NULL REFERENCES streams (id),
    standing TEXT NOT NULL CHECK (standing IN ('focused', 'open')),
    PRIMARY KEY (workspace, stream)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX one_focused_stream ON standings (workspace) WHERE standing = 'focused';

  -- Trust holds for a workspace at a path: a copy elsewhere is not trusted with it.
  CREATE TABLE trust (
    workspace TEXT PRIMARY KEY REFERENCES workspaces (id),
    path TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT;

  -- Checkpoints with text that git delivered and that the user has not reviewed.
  CREATE TABLE foreign_marks (checkpoint TEXT PRIMARY KEY REFERENCES checkpoints (id)) STRICT;

  -- What it is: a file of a run, a document, an entry in a shared file.
  ALTER TABLE views ADD COLUMN kind TEXT NOT NULL DEFAULT 'file';
  -- The hash of what a pending write replaces; null where nothing may stand there.
  ALTER TABLE views ADD COLUMN base TEXT;
  -- Size, time and inode of the file when it last had these bytes: an unchanged file is not read again.
  ALTER TABLE views ADD COLUMN stamp TEXT;
  -- Whether the document asks for the focus.
  ALTER TABLE views ADD COLUMN current INTEGER NOT NULL DEFAULT 0;
  -- How the documents of a workspace looked when every one was as the store has it, and what a list said of them.
  CREATE TABLE glances (
    workspace TEXT PRIMARY KEY REFERENCES workspaces (id),
    names TEXT NOT NULL,
    marks BLOB NOT NULL,
    rows TEXT NOT NULL
  ) STRICT;
  CREATE INDEX owed_views ON views (workspace) WHERE state <> 'published';
  `,
  `
  -- A stream may have thousands of notes in a workspace: its document is found without them.
  CREATE INDEX documents_of_stream ON views (stream, workspace) WHERE kind = 'document';

  -- What stood in a workspace's ledger, a row for each time it changed; the bytes are in texts.
  CREATE TABLE ledgers (
    seq INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    path TEXT NOT NULL,
    checkpoint TEXT NOT NULL REFERENCES checkpoints (id),
    hash TEXT NOT NULL REFERENCES texts (hash),
    at TEXT NOT NULL,
    UNIQUE (workspace, hash, checkpoint)
  ) STRICT;
  `,
  `
  -- Conversations of agents, by the client's own id. The body is JSON; its columns are what is looked for.
  CREATE TABLE sessions (
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    repository TEXT NOT NULL,
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    phase TEXT NOT NULL,
    activity_at TEXT NOT NULL,
    -- How many bytes of its journal are in the body.
    journal_read INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (agent, id)
  ) STRICT;
  CREATE INDEX sessions_of_workspace ON sessions (workspace, activity_at);
  CREATE INDEX sessions_of_repository ON sessions (repository, activity_at);
  CREATE INDEX sessions_by_phase ON sessions (phase, activity_at);

  -- How far a session's transcript is read, and what was found there: large, and wanted only by who reads on.
  CREATE TABLE readings (
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (agent, id)
  ) STRICT;
  `,
  `
  ${SEARCH_TABLES}
  CREATE INDEX sessions_by_version ON sessions (agent, id, version);
  `,
  `
  -- Whether the user vouches for what the default branch of the remote brings: trust from before did not say.
  ALTER TABLE trust ADD COLUMN vouches INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- What was done in a workspace last, as JSON, so that it can be undone.
  CREATE TABLE acts (
    seq INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (id),
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    undone INTEGER NOT NULL,
    UNIQUE (workspace, id)
  ) STRICT;
  `,
  `
  -- By what a clone on another machine is known to be the same repository; lists are JSON.
  CREATE TABLE repositories (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    remote TEXT,
    roots TEXT NOT NULL,
    declined TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Sessions are looked for by what their bodies say, newest first: to read or to sort thousands of those takes seconds.
  CREATE INDEX sessions_by_activity ON sessions (activity_at);
  CREATE INDEX sessions_by_branch ON sessions (${SESSION_BRANCH}, activity_at);
  CREATE INDEX sessions_by_stream ON sessions (${SESSION_STREAM}, repository, activity_at);
  CREATE INDEX sessions_by_parent ON sessions (${SESSION_PARENT}, activity_at);
  CREATE INDEX sessions_by_outcomes ON sessions (${SESSION_OUTCOMES}, repository);
  `,
]

/** The oldest version that may still write to a database of the newest shape. */
export const OLDEST_WRITER = 1
