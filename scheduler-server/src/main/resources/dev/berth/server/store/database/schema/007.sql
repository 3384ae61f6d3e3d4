-- Which run of the container engine a start was sent to. Of those under way nobody knows: they are not repeated.
ALTER TABLE job ADD COLUMN engine_run TEXT;

-- Whether the GPUs of an attempt whose container is not made yet were looked at, and are its own. Else the next server looks.
ALTER TABLE job ADD COLUMN gpus_decided INTEGER NOT NULL DEFAULT 0;

-- What the steady clock said when the program was to be started, then when it started, by which its time counts; of a job
-- that is over, its end less the time that it ran.
ALTER TABLE job ADD COLUMN counted_from INTEGER;

-- What a server set aside as it could not run it: the next one looks through these alone.
CREATE INDEX job_set_aside ON job (id) WHERE state = 'HELD' AND held_by = '';
