-- A pack is a job that runs tasks of an array in one container: packed has them. It is no task of its array and in no list, so that
-- its column array has the array's number negated.
ALTER TABLE job ADD COLUMN packed TEXT;

-- Tasks in a pack that have not ended have states of their own: they have no turn, and hold nothing themselves.
CREATE INDEX job_packed ON job (id) WHERE state IN ('PACKED', 'PACKED_RUNNING', 'PACKED_STOPPING');

-- Of a task, packed is empty once its last attempt has ended in its pack: the pack held the GPUs, and not the task.
CREATE TRIGGER task_packed AFTER UPDATE OF state ON job
    WHEN old.state IN ('PACKED', 'PACKED_RUNNING', 'PACKED_STOPPING') AND new.ended_at IS NOT NULL BEGIN
    UPDATE job SET packed = '' WHERE id = new.id;
END;

-- A pack counts with its tasks alone.
DROP TRIGGER job_counted;
DROP TRIGGER job_recounted;
DROP TRIGGER job_uncounted;
CREATE TRIGGER job_counted AFTER INSERT ON job WHEN new.array IS NULL OR new.array > 0 BEGIN
    INSERT INTO job_count (uid, state, jobs, bytes) VALUES (new.uid, new.state, 1, new.spec_bytes)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1, bytes = bytes + new.spec_bytes;
END;
CREATE TRIGGER job_recounted AFTER UPDATE OF state ON job
    WHEN old.state <> new.state AND (new.array IS NULL OR new.array > 0) BEGIN
    UPDATE job_count SET jobs = jobs - 1, bytes = bytes - old.spec_bytes WHERE uid = old.uid AND state = old.state;
    INSERT INTO job_count (uid, state, jobs, bytes) VALUES (new.uid, new.state, 1, new.spec_bytes)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1, bytes = bytes + new.spec_bytes;
END;
CREATE TRIGGER job_uncounted AFTER DELETE ON job WHEN old.array IS NULL OR old.array > 0 BEGIN
    UPDATE job_count SET jobs = jobs - 1, bytes = bytes - old.spec_bytes WHERE uid = old.uid AND state = old.state;
END;
DROP TRIGGER task_counted;
DROP TRIGGER task_recounted;
DROP TRIGGER task_uncounted;
CREATE TRIGGER task_counted AFTER INSERT ON job WHEN new.array > 0 BEGIN
    INSERT INTO task_count (array, state, tasks) VALUES (new.array, new.state, 1)
        ON CONFLICT (array, state) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_recounted AFTER UPDATE OF state ON job WHEN new.array > 0 AND old.state <> new.state BEGIN
    UPDATE task_count SET tasks = tasks - 1 WHERE array = old.array AND state = old.state;
    INSERT INTO task_count (array, state, tasks) VALUES (new.array, new.state, 1)
        ON CONFLICT (array, state) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_uncounted AFTER DELETE ON job WHEN old.array > 0 BEGIN
    UPDATE task_count SET tasks = tasks - 1 WHERE array = old.array AND state = old.state;
END;
