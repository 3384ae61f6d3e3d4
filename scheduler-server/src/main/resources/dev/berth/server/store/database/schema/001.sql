-- One row a job: the current state, and only what is valid in it. Times are microseconds since 1970 in UTC.
CREATE TABLE job (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    state        TEXT    NOT NULL,
    attempt      INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    project      TEXT    NOT NULL,
    command      TEXT    NOT NULL,
    snapshot     TEXT    NOT NULL,
    image        TEXT    NOT NULL,
    gpu_milli    INTEGER NOT NULL,
    environment  TEXT    NOT NULL,
    time_limit   INTEGER,
    user         TEXT    NOT NULL,
    uid          INTEGER NOT NULL,
    gid          INTEGER NOT NULL,
    groups       TEXT    NOT NULL,
    submitted_at INTEGER NOT NULL,
    image_id     TEXT,
    started_at   INTEGER,
    stop_cause   TEXT,
    stop_by      TEXT,
    ended_at     INTEGER,
    reason       TEXT,
    sentence     TEXT,
    exit_code    INTEGER
) STRICT;

-- The head of each queue, and a user's own part of it, in a tenth of a millisecond, however many jobs have ended.
CREATE INDEX job_queued      ON job (id) WHERE state = 'QUEUED';
CREATE INDEX job_queued_gpu  ON job (id) WHERE state = 'QUEUED' AND gpu_milli > 0;
CREATE INDEX job_queued_cpu  ON job (id) WHERE state = 'QUEUED' AND gpu_milli = 0;
CREATE INDEX job_live        ON job (id) WHERE state IN ('STARTING', 'RUNNING', 'STOPPING');
CREATE INDEX job_queued_user ON job (uid, id) WHERE state = 'QUEUED';
CREATE INDEX job_of_user     ON job (uid, id);

-- Who holds which GPU now; the rows go with the holding.
CREATE TABLE allocation (
    job       INTEGER NOT NULL REFERENCES job (id),
    position  INTEGER NOT NULL,
    gpu       TEXT    NOT NULL,
    milli     INTEGER NOT NULL CHECK (milli BETWEEN 1 AND 1000),
    PRIMARY KEY (job, position)
) STRICT, WITHOUT ROWID;

-- What happened, in the same transaction as the change; never updated.
CREATE TABLE job_event (
    sequence  INTEGER PRIMARY KEY AUTOINCREMENT,
    job       INTEGER NOT NULL REFERENCES job (id),
    at        INTEGER NOT NULL,
    event     TEXT    NOT NULL,
    from_state TEXT,
    to_state  TEXT    NOT NULL,
    attempt   INTEGER NOT NULL,
    gpus      TEXT
) STRICT;
CREATE INDEX job_event_of_job ON job_event (job, sequence);

-- Counting a million rows takes a quarter of a second; keeping count takes nothing.
CREATE TABLE job_count (
    uid    INTEGER NOT NULL,
    state  TEXT    NOT NULL,
    jobs   INTEGER NOT NULL,
    PRIMARY KEY (uid, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER job_counted AFTER INSERT ON job BEGIN
    INSERT INTO job_count (uid, state, jobs) VALUES (new.uid, new.state, 1)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1;
END;
CREATE TRIGGER job_recounted AFTER UPDATE OF state ON job WHEN old.state <> new.state BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE uid = old.uid AND state = old.state;
    INSERT INTO job_count (uid, state, jobs) VALUES (new.uid, new.state, 1)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1;
END;
CREATE TRIGGER job_uncounted AFTER DELETE ON job BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE uid = old.uid AND state = old.state;
END;

-- Facts about this server, such as its id.
CREATE TABLE server (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
