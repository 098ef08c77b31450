import { z } from 'zod';
import { lovelace } from '../units/money.ts';
import { integer, optionalText, readVariables, type Environment } from './environment.ts';
import { sharedConfig, sharedVariables } from './shared.ts';

export const mnemonicVariable = z.string().regex(/^([a-z]+ ){11,23}[a-z]+$/, 'must be 12 to 24 words');

/** What the embedded ledger's ADA, which cost nothing, are bounded by. */
const MOST_DAILY_ADA = 1_000_000;

/** The variables that the worker reads. */
export const workerVariables = sharedVariables.extend({
  OPERATOR_MNEMONIC: mnemonicVariable,
  WORKFLOW_BUNDLE: optionalText,
  TEMPORAL_DEPLOYMENT_NAME: optionalText,
  EVENTS_KEPT_DAYS: integer(1, 36_500).default(400),
  OPERATOR_DAILY_ADA: integer(0, MOST_DAILY_ADA).optional(),
});

/** Configuration of the worker. */
export type WorkerConfig = ReturnType<typeof loadWorkerConfig>;

/** Reads the worker's configuration; throws an Error that names every missing or invalid variable, never its value. */
export function loadWorkerConfig(environment: Environment = process.env) {
  const variables = readVariables(workerVariables, environment);
  const dailyAda = variables.OPERATOR_DAILY_ADA ?? (variables.LEDGER_EMBEDDED ? MOST_DAILY_ADA : 5_000);
  return {
    ...sharedConfig(variables),
    operatorMnemonic: variables.OPERATOR_MNEMONIC,
    /** File of a workflow bundle that was built before; without one the worker builds its own. */
    workflowBundle: variables.WORKFLOW_BUNDLE,
    /** The deployment of which the worker is a version; without one it takes tasks at once, whatever its code is. */
    deploymentName: variables.TEMPORAL_DEPLOYMENT_NAME,
    eventsKeptDays: variables.EVENTS_KEPT_DAYS,
    /** The most that the operator pays on a day for anchors, and for everything else. */
    operatorDailyBound: lovelace(BigInt(dailyAda) * 1_000_000n),
  };
}
