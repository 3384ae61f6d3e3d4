-- Who is told of all jobs of a user. The receiver may hold a secret. What happened up to after_event is not told.
CREATE TABLE subscription (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    uid         INTEGER NOT NULL,
    user        TEXT    NOT NULL,
    moments     TEXT    NOT NULL,
    receiver    TEXT    NOT NULL,
    made_at     INTEGER NOT NULL,
    after_event INTEGER NOT NULL,
    sent_at     INTEGER,
    error       TEXT
) STRICT;
CREATE INDEX subscription_of_user ON subscription (uid, id);

-- What is still to be sent; it goes once it has arrived or was given up. sendings counts how often that was begun, so
-- that a notice which may be there already is sent with a mark.
CREATE TABLE notice (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    key      TEXT    NOT NULL,
    uid      INTEGER NOT NULL,
    job      INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,
    moment   TEXT    NOT NULL,
    receiver TEXT    NOT NULL,
    content  TEXT    NOT NULL,
    made_at  INTEGER NOT NULL,
    sendings INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX notice_of_receiver ON notice (uid, receiver, id);

-- The last event of which notices were made. Nobody is told of what was before there were any.
INSERT INTO server (name, value) SELECT 'notified', coalesce(max(sequence), 0) FROM job_event;
