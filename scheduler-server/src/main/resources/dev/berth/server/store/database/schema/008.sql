-- A job that is not ready is DEFERRED here and QUEUED for everybody: it waits for other jobs or for a date, and is in
-- nobody's way. What it waits for goes once it is met; broken are those of jobs that ended otherwise than asked for.
CREATE TABLE dependency (
    job     INTEGER NOT NULL REFERENCES job (id),
    other   INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    broken  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, other, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_on ON dependency (other, job) WHERE broken = 0;

-- The date before which it is not to start, until that has come.
ALTER TABLE job ADD COLUMN begin_at INTEGER;
CREATE INDEX job_begin ON job (begin_at, id) WHERE state = 'DEFERRED' AND begin_at IS NOT NULL;

-- Whether the end of other jobs alone can make it ready: it waits for some, and for nobody's decision about one.
ALTER TABLE job ADD COLUMN awaiting INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_awaiting ON job (id) WHERE state = 'DEFERRED' AND awaiting = 1;

CREATE INDEX job_deferred      ON job (id) WHERE state = 'DEFERRED';
CREATE INDEX job_deferred_user ON job (uid, id) WHERE state = 'DEFERRED';

-- They keep their places among all that wait.
DROP INDEX job_waiting;
DROP INDEX job_waiting_user;
CREATE INDEX job_waiting      ON job (id) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
CREATE INDEX job_waiting_user ON job (uid, id) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
