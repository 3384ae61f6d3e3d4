-- The retries that a job has used.
ALTER TABLE job ADD COLUMN retried INTEGER NOT NULL DEFAULT 0;

-- The number by which a job takes its turn: its own, or one of moved_to since a retry put it at the end of the queue.
ALTER TABLE job ADD COLUMN moved_to INTEGER;
ALTER TABLE job ADD COLUMN turn INTEGER GENERATED ALWAYS AS (coalesce(moved_to, id)) VIRTUAL;

DROP INDEX job_queued;
DROP INDEX job_queued_gpu;
DROP INDEX job_queued_cpu;
DROP INDEX job_waiting;
DROP INDEX job_waiting_user;
DROP INDEX job_awaiting;
DROP INDEX job_deferred;
CREATE INDEX job_queued       ON job (turn) WHERE state = 'QUEUED';
CREATE INDEX job_queued_gpu   ON job (turn) WHERE state = 'QUEUED' AND gpu_milli > 0;
CREATE INDEX job_queued_cpu   ON job (turn) WHERE state = 'QUEUED' AND gpu_milli = 0;
CREATE INDEX job_waiting      ON job (turn) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
CREATE INDEX job_waiting_user ON job (uid, turn) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
CREATE INDEX job_waiting_project ON job (project, turn) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
CREATE INDEX job_waiting_name ON job (name, turn) WHERE state IN ('QUEUED', 'DEFERRED', 'HELD');
CREATE INDEX job_awaiting     ON job (turn) WHERE state = 'DEFERRED' AND awaiting = 1;
CREATE INDEX job_deferred     ON job (turn) WHERE state = 'DEFERRED';

-- How those attempts of a job ended after which it began another; the last one stands in the job. The GPUs as in job_event.
CREATE TABLE attempt (
    job        INTEGER NOT NULL,
    attempt    INTEGER NOT NULL,
    gpus       TEXT,
    started_at INTEGER,
    ended_at   INTEGER NOT NULL,
    ran_micros INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    sentence   TEXT    NOT NULL,
    exit_code  INTEGER,
    retried    INTEGER NOT NULL,
    PRIMARY KEY (job, attempt)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER attempt_deleted AFTER DELETE ON job WHEN old.attempt > 0 BEGIN
    DELETE FROM attempt WHERE job = old.id;
END;

-- How far a running program is with the signal before its time limit: DUE, SENT, or null where none is due.
ALTER TABLE job ADD COLUMN signal_state TEXT;
