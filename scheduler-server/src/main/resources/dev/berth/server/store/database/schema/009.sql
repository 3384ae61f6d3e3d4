-- An array is one job. Its tasks become jobs of their own one by one, as their turn comes, with the ids behind its own: until
-- then a task is a number in tasks_waiting, so that an array of 100,000 is one row.
ALTER TABLE job ADD COLUMN array INTEGER;
ALTER TABLE job ADD COLUMN task INTEGER;
ALTER TABLE job ADD COLUMN tasks_waiting TEXT;
-- Of an array that was ended before its last task's turn, and some of whose tasks have not ended: how those end that had none.
ALTER TABLE job ADD COLUMN rest_state TEXT;
ALTER TABLE job ADD COLUMN rest_at INTEGER;
CREATE INDEX job_array     ON job (id) WHERE tasks_waiting IS NOT NULL;
CREATE INDEX job_task      ON job (array, id) WHERE array IS NOT NULL;
CREATE INDEX job_dispatched ON job (id) WHERE state = 'DISPATCHED';
CREATE INDEX job_task_state ON job (array, state, id) WHERE array IS NOT NULL;
CREATE INDEX job_task_open ON job (array, id) WHERE array IS NOT NULL AND ended_at IS NULL;

-- How many tasks of an array are in which state; counting 100,000 rows for each list would take too long.
CREATE TABLE task_count (
    array  INTEGER NOT NULL,
    state  TEXT    NOT NULL,
    tasks  INTEGER NOT NULL,
    PRIMARY KEY (array, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER task_counted AFTER INSERT ON job WHEN new.array IS NOT NULL BEGIN
    INSERT INTO task_count (array, state, tasks) VALUES (new.array, new.state, 1)
        ON CONFLICT (array, state) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_recounted AFTER UPDATE OF state ON job
    WHEN new.array IS NOT NULL AND old.state <> new.state BEGIN
    UPDATE task_count SET tasks = tasks - 1 WHERE array = old.array AND state = old.state;
    INSERT INTO task_count (array, state, tasks) VALUES (new.array, new.state, 1)
        ON CONFLICT (array, state) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_uncounted AFTER DELETE ON job WHEN old.array IS NOT NULL BEGIN
    UPDATE task_count SET tasks = tasks - 1 WHERE array = old.array AND state = old.state;
END;
CREATE TRIGGER array_uncounted AFTER DELETE ON job WHEN old.tasks_waiting IS NOT NULL BEGIN
    DELETE FROM task_count WHERE array = old.id;
END;

-- Lists show an array in place of its tasks, and what may be swept is an array with all of them.
DROP INDEX job_of_user;
DROP INDEX job_of_state;
DROP INDEX job_of_user_state;
DROP INDEX job_of_project;
DROP INDEX job_of_name;
DROP INDEX job_of_end;
CREATE INDEX job_listed        ON job (id) WHERE array IS NULL;
CREATE INDEX job_of_user       ON job (uid, id) WHERE array IS NULL;
CREATE INDEX job_of_state      ON job (state, id) WHERE ended_at IS NOT NULL AND array IS NULL;
CREATE INDEX job_of_user_state ON job (uid, state, id) WHERE ended_at IS NOT NULL AND array IS NULL;
CREATE INDEX job_of_project    ON job (project, id) WHERE array IS NULL;
CREATE INDEX job_of_name       ON job (name, id) WHERE array IS NULL;
CREATE INDEX job_of_end        ON job (ended_at) WHERE ended_at IS NOT NULL AND array IS NULL;
