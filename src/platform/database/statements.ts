import type { CompiledQuery, DatabaseConnection } from 'kysely';
import type { Db, Transaction } from './database.ts';

/** A statement that can be sent together with others, and what its rows say. */
export type Statement<Result> = (connection: DatabaseConnection) => Promise<Result>;

export function statement<Row, Result>(query: CompiledQuery<Row>, read: (rows: Row[]) => Result): Statement<Result> {
  return async (connection) => read((await connection.executeQuery<Row>(query)).rows);
}

/**
 * Sends statements at once, over one connection, instead of waiting for each answer. Postgres runs them one after the other, so that
 * a read after a lock sees what was committed before the lock was taken. Throws the first error in their order.
 */
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
    const answers = await Promise.allSettled(statements.map((one) => one(connection)));
    const results = answers.map((answer) => {
      if (answer.status === 'rejected') throw answer.reason;
      return answer.value;
    });
    return results as unknown as Results;
  };
}

/** Sends one statement. */
export function run<Result>(db: Db | Transaction, one: Statement<Result>): Promise<Result> {
  return db.getExecutor().provideConnection(one);
}
