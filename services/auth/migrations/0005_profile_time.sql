-- When the issuer said what is known of a profile; null where its tokens do not tell (they may leave out `iat`).
alter table external_identities add column profile_issued_at timestamptz;
