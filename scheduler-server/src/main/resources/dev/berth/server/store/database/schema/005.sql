-- How large what was submitted is, in bytes of UTF-8, and the sum of that beside the count of jobs. Jobs of before count
-- as nothing: to measure a million of them would keep an upgrade waiting, and they go.
ALTER TABLE job ADD COLUMN spec_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_count ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER job_counted;
DROP TRIGGER job_recounted;
DROP TRIGGER job_uncounted;
CREATE TRIGGER job_counted AFTER INSERT ON job BEGIN
    INSERT INTO job_count (uid, state, jobs, bytes) VALUES (new.uid, new.state, 1, new.spec_bytes)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1, bytes = bytes + new.spec_bytes;
END;
CREATE TRIGGER job_recounted AFTER UPDATE OF state ON job WHEN old.state <> new.state BEGIN
    UPDATE job_count SET jobs = jobs - 1, bytes = bytes - old.spec_bytes WHERE uid = old.uid AND state = old.state;
    INSERT INTO job_count (uid, state, jobs, bytes) VALUES (new.uid, new.state, 1, new.spec_bytes)
        ON CONFLICT (uid, state) DO UPDATE SET jobs = jobs + 1, bytes = bytes + new.spec_bytes;
END;
CREATE TRIGGER job_uncounted AFTER DELETE ON job BEGIN
    UPDATE job_count SET jobs = jobs - 1, bytes = bytes - old.spec_bytes WHERE uid = old.uid AND state = old.state;
END;
