-- Jobs that are handed over to a target beyond this machine. They stand in a queue of their own, so that the machine's own is
-- found without them; those that the target's engine has are among the live ones.
ALTER TABLE job ADD COLUMN target TEXT;

DROP INDEX job_queued;
DROP INDEX job_queued_gpu;
DROP INDEX job_queued_cpu;
DROP INDEX job_live;
CREATE INDEX job_queued        ON job (turn) WHERE state = 'QUEUED' AND target IS NULL;
CREATE INDEX job_queued_gpu    ON job (turn) WHERE state = 'QUEUED' AND target IS NULL AND gpu_milli > 0;
CREATE INDEX job_queued_cpu    ON job (turn) WHERE state = 'QUEUED' AND target IS NULL AND gpu_milli = 0;
CREATE INDEX job_queued_target ON job (turn) WHERE state = 'QUEUED' AND target IS NOT NULL;
CREATE INDEX job_live ON job (id) WHERE state IN ('STARTING', 'RUNNING', 'STOPPING', 'HANDED_OVER', 'HANDED_OVER_HELD');
