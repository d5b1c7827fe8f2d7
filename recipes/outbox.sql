-- The table of outbox-postgres.yaml, and the roles around it.
CREATE TABLE outbox (
  op_key         text PRIMARY KEY,
  receipt        text NOT NULL UNIQUE DEFAULT 'ob-' || gen_random_uuid(),
  owner          text NOT NULL,
  payload_sha256 text NOT NULL CHECK (payload_sha256 ~ '^[0-9a-f]{64}$'),
  payload        bytea NOT NULL,
  state          text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'rejected')),
  created_at     timestamptz NOT NULL DEFAULT now()
);

-- The sender: no statement of it may take longer than settles_within allows for.
CREATE ROLE outbox_sender LOGIN;
ALTER ROLE outbox_sender SET statement_timeout = '30s';
GRANT SELECT, INSERT, UPDATE (op_key) ON outbox TO outbox_sender;

-- triage: it reads, and nothing else.
CREATE ROLE outbox_reader LOGIN;
ALTER ROLE outbox_reader SET default_transaction_read_only = on;
GRANT SELECT ON outbox TO outbox_reader;
