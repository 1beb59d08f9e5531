-- Times are Unix milliseconds, prices are micro-dollars per million tokens. No secret is ever stored here.

CREATE TABLE providers (
    name       TEXT   NOT NULL PRIMARY KEY,
    vendor     TEXT   NOT NULL,
    base_url   TEXT   NOT NULL,
    dialects   TEXT   NOT NULL, -- separated by commas
    bases      TEXT   NOT NULL, -- JSON: the base URLs of dialects that have their own
    created_at BIGINT NOT NULL
);

CREATE TABLE provider_keys (
    id           TEXT   NOT NULL PRIMARY KEY, -- the name of the secret in the keychain
    provider     TEXT   NOT NULL REFERENCES providers (name) ON DELETE CASCADE,
    label        TEXT   NOT NULL,
    source       TEXT   NOT NULL,             -- keychain, env
    disabled     BIGINT NOT NULL DEFAULT 0,
    reason       TEXT   NOT NULL DEFAULT '',
    cap_requests BIGINT,                      -- a UTC day; NULL, as the others: no limit
    cap_tokens   BIGINT,
    cap_cost     BIGINT,                      -- micro-dollars
    created_at   BIGINT NOT NULL
);
CREATE INDEX provider_keys_by_provider ON provider_keys (provider);

CREATE TABLE models (
    id                TEXT   NOT NULL PRIMARY KEY, -- provider/model
    provider          TEXT   NOT NULL REFERENCES providers (name) ON DELETE CASCADE,
    upstream          TEXT   NOT NULL,
    title             TEXT   NOT NULL,
    context           BIGINT NOT NULL,
    max_reply         BIGINT NOT NULL,
    default_reply     BIGINT NOT NULL,
    counts            TEXT   NOT NULL,             -- total, input, weighted
    guests            BIGINT NOT NULL,
    cap_field         TEXT   NOT NULL,
    price_input       BIGINT,                      -- NULL, as all of the price: unknown
    price_cache_read  BIGINT,
    price_cache_write BIGINT,
    price_output      BIGINT,
    price_source      TEXT   NOT NULL,
    price_date        TEXT   NOT NULL,
    reasons           BIGINT NOT NULL,
    sees_images       BIGINT NOT NULL,
    at_zero           TEXT   NOT NULL,             -- refuse, ladder
    fallback          TEXT   NOT NULL,             -- a model's id, '' = none
    may_drop_turns    BIGINT NOT NULL,
    listed            TEXT   NOT NULL              -- JSON: what the list said last; what differs from it is the owner's
);
CREATE INDEX models_by_provider ON models (provider);

-- Every name that a model answers to: its id, and its aliases. One table, so that no name means two models.
CREATE TABLE model_names (
    name  TEXT NOT NULL PRIMARY KEY,
    model TEXT NOT NULL REFERENCES models (id) ON DELETE CASCADE
);
CREATE INDEX model_names_by_model ON model_names (model);
