-- Times are Unix milliseconds, days are 'YYYY-MM-DD' in UTC, money is micro-dollars.

CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE tiers (
    name TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE people (
    id         TEXT   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL UNIQUE,
    tier       TEXT   NOT NULL DEFAULT '',
    suspended  BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);

CREATE TABLE passes (
    id           TEXT   NOT NULL PRIMARY KEY, -- the pass's eight public characters
    person       TEXT   NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    hash         TEXT   NOT NULL,             -- SHA-256 of the whole pass, in hexadecimal
    label        TEXT   NOT NULL DEFAULT '',
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT,
    revoked_at   BIGINT,
    last_used_at BIGINT
);
CREATE INDEX passes_by_person ON passes (person);

-- What a person's next device may get a pass by, once.
CREATE TABLE join_codes (
    person     TEXT   NOT NULL PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE,
    hash       TEXT   NOT NULL UNIQUE, -- SHA-256 of the code, in hexadecimal
    expires_at BIGINT NOT NULL
);

-- What the owner set: allowances (scope person), purses and ceilings. NULL is no limit.
CREATE TABLE limits (
    scope        TEXT NOT NULL, -- person, purse, ceiling
    holder_kind  TEXT NOT NULL, -- person, tier, everyone, guests
    holder       TEXT NOT NULL,
    model        TEXT NOT NULL,
    max_requests BIGINT,
    max_tokens   BIGINT,
    max_cost     BIGINT,
    PRIMARY KEY (holder_kind, holder, model, scope)
);

CREATE TABLE rates (
    holder_kind  TEXT NOT NULL,
    holder       TEXT NOT NULL,
    max_requests BIGINT,
    max_tokens   BIGINT,
    max_images   BIGINT,
    PRIMARY KEY (holder_kind, holder)
);

-- What stands today and on earlier days: the fold of the ledger. max_* are the limits that the
-- last hold was checked against, here because the one statement may read this table alone.
CREATE TABLE usage_daily (
    scope            TEXT   NOT NULL,
    subject          TEXT   NOT NULL,
    model            TEXT   NOT NULL,
    day              TEXT   NOT NULL,
    requests         BIGINT NOT NULL DEFAULT 0,
    held_requests    BIGINT NOT NULL DEFAULT 0,
    granted_requests BIGINT NOT NULL DEFAULT 0,
    tokens           BIGINT NOT NULL DEFAULT 0,
    held_tokens      BIGINT NOT NULL DEFAULT 0,
    granted_tokens   BIGINT NOT NULL DEFAULT 0,
    cost             BIGINT NOT NULL DEFAULT 0,
    held_cost        BIGINT NOT NULL DEFAULT 0,
    granted_cost     BIGINT NOT NULL DEFAULT 0,
    input            BIGINT NOT NULL DEFAULT 0,
    output           BIGINT NOT NULL DEFAULT 0,
    max_requests     BIGINT,
    max_tokens       BIGINT,
    max_cost         BIGINT,
    PRIMARY KEY (day, scope, subject, model) -- a day stays together: what today writes does not grow with the past
);

CREATE TABLE holds (
    id              TEXT   NOT NULL PRIMARY KEY,
    request         TEXT   NOT NULL,
    person          TEXT   NOT NULL, -- '' is a guest
    model           TEXT   NOT NULL,
    day             TEXT   NOT NULL,
    gateway         TEXT   NOT NULL,
    state           TEXT   NOT NULL, -- open, settled, released, expired, corrected, returned
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    input           BIGINT NOT NULL,
    output          BIGINT NOT NULL,
    accepted        BIGINT NOT NULL DEFAULT 0, -- 1 once the provider had accepted the request
    observed_input  BIGINT NOT NULL DEFAULT 0,
    observed_output BIGINT NOT NULL DEFAULT 0,
    terms           TEXT   NOT NULL -- lines: the price, and the parts held
);
CREATE INDEX holds_open ON holds (expires_at) WHERE state = 'open';

-- Appended to, never updated or deleted from: a trigger sees to it.
CREATE TABLE ledger (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         BIGINT NOT NULL,
    verb       TEXT   NOT NULL, -- reserve, move, settle, release, expire, correct, return, grant, credit
    -- what this entry books (reserve: what it holds; correct: what is beyond the expiry)
    hold       TEXT   NOT NULL,
    request    TEXT   NOT NULL,
    person     TEXT   NOT NULL,
    model      TEXT   NOT NULL,
    day        TEXT   NOT NULL,
    provenance TEXT   NOT NULL DEFAULT '',
    requests   BIGINT NOT NULL DEFAULT 0,
    input      BIGINT NOT NULL DEFAULT 0,
    cached     BIGINT NOT NULL DEFAULT 0,
    output     BIGINT NOT NULL DEFAULT 0,
    cost       BIGINT NOT NULL DEFAULT 0,
    note       TEXT   NOT NULL DEFAULT '',
    changes    TEXT   NOT NULL  -- lines: what this entry adds to rows of usage_daily
);
-- Every request writes here twice: what is looked for is indexed, and no more.
CREATE INDEX ledger_ends ON ledger (day) WHERE verb <> 'reserve';
CREATE INDEX ledger_worst_cases ON ledger (day, hold) WHERE provenance = 'held';
CREATE FUNCTION refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the ledger is only appended to'; END $$;
CREATE TRIGGER ledger_is_only_appended_to BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- How much each caller asked for in the last two minutes; guests by a hash of their network.
CREATE TABLE rate_windows (
    subject           TEXT   NOT NULL PRIMARY KEY,
    minute            BIGINT NOT NULL, -- Unix minutes
    requests          BIGINT NOT NULL,
    previous_requests BIGINT NOT NULL,
    tokens            BIGINT NOT NULL,
    previous_tokens   BIGINT NOT NULL,
    images            BIGINT NOT NULL,
    previous_images   BIGINT NOT NULL
);

-- Which shares of its limit a budget has crossed, each once a day.
CREATE TABLE alerts (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    scope   TEXT   NOT NULL,
    subject TEXT   NOT NULL,
    model   TEXT   NOT NULL,
    day     TEXT   NOT NULL,
    percent BIGINT NOT NULL,
    UNIQUE (day, scope, subject, model, percent)
);

CREATE TABLE idempotency (
    person       TEXT   NOT NULL,
    request_key  TEXT   NOT NULL,
    hash         TEXT   NOT NULL, -- of the request's parameters
    hold         TEXT   NOT NULL,
    done         BIGINT NOT NULL,
    status       BIGINT NOT NULL DEFAULT 0, -- 0 where the answer was too long to keep
    content_type TEXT   NOT NULL DEFAULT '',
    body         BYTEA,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (person, request_key)
);
CREATE INDEX idempotency_by_hold ON idempotency (hold);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- What providers keep for people, such as stored responses, and whose it is.
CREATE TABLE objects (
    id         TEXT   NOT NULL,
    provider   TEXT   NOT NULL,
    person     TEXT   NOT NULL,
    key_id     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (id, provider)
);
CREATE INDEX objects_by_age ON objects (created_at);

CREATE TABLE refusals (
    seq           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at            BIGINT NOT NULL,
    day           TEXT   NOT NULL,
    reason        TEXT   NOT NULL,
    person        TEXT   NOT NULL,
    person_name   TEXT   NOT NULL,
    model         TEXT   NOT NULL,
    tool          TEXT   NOT NULL,
    request       TEXT   NOT NULL,
    figures       TEXT   NOT NULL, -- JSON
    resets_at     BIGINT,
    times         BIGINT NOT NULL DEFAULT 1 -- how many such there were within a minute
);
CREATE INDEX refusals_by_day ON refusals (day, reason);
CREATE INDEX refusals_by_age ON refusals (at);
