-- What a submit may say beyond the columns that are searched: an object of the names and values of JobSpec.
ALTER TABLE job ADD COLUMN options TEXT NOT NULL DEFAULT '{}';

-- Who set a held job aside, and when.
ALTER TABLE job ADD COLUMN held_by TEXT;
ALTER TABLE job ADD COLUMN held_at INTEGER;

-- A client's key for one submit, and what it asked for with it: a retry finds the job that the first try made.
ALTER TABLE job ADD COLUMN submit_key TEXT;
ALTER TABLE job ADD COLUMN submit_digest TEXT;
CREATE UNIQUE INDEX job_of_submit ON job (uid, submit_key) WHERE submit_key IS NOT NULL;

-- Lists by what people search for, the newest first, however many jobs there are.
CREATE INDEX job_of_state      ON job (state, id) WHERE ended_at IS NOT NULL;
CREATE INDEX job_of_user_state ON job (uid, state, id) WHERE ended_at IS NOT NULL;
-- The queue as people see it: held jobs keep their place in it.
CREATE INDEX job_waiting      ON job (id) WHERE state IN ('QUEUED', 'HELD');
CREATE INDEX job_waiting_user ON job (uid, id) WHERE state IN ('QUEUED', 'HELD');
CREATE INDEX job_of_project    ON job (project, id);
CREATE INDEX job_of_name       ON job (name, id);

-- What may be swept: jobs by when they ended, snapshots that no job refers to.
CREATE INDEX job_of_end      ON job (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX job_of_snapshot ON job (uid, snapshot);

-- Who may come over TCP. The secret itself is not kept, only its SHA-256.
CREATE TABLE token (
    id         TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    hash       TEXT    NOT NULL UNIQUE,
    uid        INTEGER NOT NULL,
    user       TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX token_of_user ON token (uid, created_at);
