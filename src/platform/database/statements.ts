import type { CompiledQuery, DatabaseConnection } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** A statement that can be sent together with others, and what its rows say. */
export type Statement<Result> = (connection: DatabaseConnection) => Promise<Result>;

export function statement<Row, Result>(query: CompiledQuery<Row>, read: (rows: Row[]) => Result): Statement<Result> {
  return async (connection) => read((await connection.executeQuery<Row>(query)).rows);
}

/** Runs statements one after the other. */
export function runAll<Results extends readonly unknown[]>(
  db: Db | Transaction,
  statements: Statements<Results>,
): Promise<Results> {
  return run(db, allOf(statements));
}

type Statements<Results extends readonly unknown[]> = {
  readonly [Place in keyof Results]: Statement<Results[Place]>;
};

/** The statements of `runAll`, to be sent together with others. */
export function allOf<Results extends readonly unknown[]>(statements: Statements<Results>): Statement<Results> {
  return async (connection) => {
    const results: unknown[] = [];
    for (const one of statements) results.push(await one(connection));
    return results as unknown as Results;
  };
}

/** Sends one statement. */
export function run<Result>(db: Db | Transaction, one: Statement<Result>): Promise<Result> {
  return db.getExecutor().provideConnection(one);
}
