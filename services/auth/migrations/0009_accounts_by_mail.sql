-- Null: not verified. Accounts from before were never asked to, so they count as verified.
alter table accounts add column email_verified_at timestamptz;
update accounts set email_verified_at = created_at;
-- An address that the account changes to once it is verified.
alter table accounts add column pending_email text;
-- When all sessions were last ended together. Access tokens of earlier releases name no session: they end with it.
alter table accounts add column sessions_ended_at timestamptz;

-- Links of other purposes than to sign in. Their hashes cover the purpose, so that a replica of the release before, which
-- does not read it, takes none of them for a link that signs in.
alter table sign_in_links add column purpose text not null default 'sign-in';
alter table sign_in_links add column address_key text;

-- Of the last use. Null where it is not known: sessions of earlier releases.
alter table sessions add column last_used_at timestamptz;
alter table sessions add column client_address text;
alter table sessions add column user_agent text;
