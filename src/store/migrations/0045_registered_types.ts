import { type Kysely, sql } from 'kysely';

/** Vault and asset types as data, and the rules that a vault keeps of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table registered_types (
    kind text not null check (kind in ('vault', 'asset')),
    name text not null check (name ~ '^[A-Z][A-Z0-9_]{0,39}$'),
    description text not null,
    rules jsonb not null,
    built_in boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    retired_at timestamptz,
    primary key (kind, name)
  )`,
  // As vault-type.ts and asset-type.ts have them; a test compares both.
  `insert into registered_types (kind, name, description, rules, built_in, created_at, updated_at)
   select kind, name, description, rules::jsonb, true, now(), now() from (values
    ('vault', 'PUBLIC', 'Anyone may read, contribute and invest',
      '{"readers": "anyone", "contributors": "anyone", "investors": "anyone", "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
    ('vault', 'PRIVATE', 'Only the admin and wallets on the whitelists may contribute and invest',
      '{"readers": "participants", "contributors": "listed", "investors": "listed", "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
    ('vault', 'SEMI_PRIVATE', 'Anyone may read; a whitelist that is not empty restricts',
      '{"readers": "anyone", "contributors": "listed_unless_empty", "investors": "listed_unless_empty",
        "valuationTypes": ["FIXED", "LBE"], "assetTypes": []}'),
    ('asset', 'NFT', 'A token of which the ledger has one base unit in all',
      '{"base": "NFT", "minQuantity": 1, "maxQuantity": 1, "priceSources": ["market", "admin"]}'),
    ('asset', 'CNT', 'Any other token, in a quantity',
      '{"base": "CNT", "minQuantity": 1, "maxQuantity": 1000000, "priceSources": ["market", "admin"]}')
   ) as built_in (kind, name, description, rules)`,
  `alter table vaults
    add column custom_type text,
    add column type_rules jsonb,
    add column asset_type_rules jsonb`,
  `alter table assets add column custom_type text`,
];
