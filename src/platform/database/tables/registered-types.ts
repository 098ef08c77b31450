import type { Generated } from 'kysely';
import type { Json, NullableTimestamp, Timestamp } from './columns.ts';

export interface RegisteredTypesTable {
  kind: 'vault' | 'asset';
  name: string;
  description: string;
  rules: Json<object>;
  built_in: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  retired_at: NullableTimestamp;
}

export interface RegisteredTypeTables {
  registered_types: RegisteredTypesTable;
}
