-- Accounts whose holders an external issuer vouches for; they have no row in `accounts`.
create table external_identities (
  account_id text primary key,
  issuer text not null,
  subject text not null,
  -- Null where the issuer tells none that it has verified.
  email text,
  name text not null,
  created_at timestamptz not null,
  unique (issuer, subject)
);
