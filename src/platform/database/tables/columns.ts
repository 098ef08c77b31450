import type { ColumnType, JSONColumnType } from 'kysely';

/** A numeric or int8 column: pg reads it as text, code writes a bigint. */
export type Amount = ColumnType<string, bigint, bigint>;
/** An amount that may be left out of an insert. */
export type AmountWithDefault = ColumnType<string, bigint | undefined, bigint>;
export type NullableAmount = ColumnType<string | null, bigint | null | undefined, bigint | null>;
export type Timestamp = ColumnType<Date, Date, Date>;
export type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** A column that may be left out of an insert. */
export type NullableText<Text extends string = string> = ColumnType<Text | null, Text | null | undefined, Text | null>;
/** A jsonb column: read as `T`, written as JSON text. */
export type Json<T extends object> = JSONColumnType<T>;
export type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>;
/** Amounts of a JSON column, each as decimal text. */
export type AmountTexts<Field extends string> = Readonly<Record<Field, string>>;
