import { z } from 'zod';
import type { Environment } from './secret-files.ts';
import { readVariables } from './environment.ts';
import { networkIdOf, networkVariable } from './shared.ts';
import { mnemonicVariable } from './worker.ts';

const rootVariables = z.object({ NETWORK: networkVariable, OPERATOR_MNEMONIC: mnemonicVariable.optional() });

/** What the commands about the root key work with. Throws an Error that names every missing or invalid variable, never its value. */
export function loadRootConfig(environment: Environment = process.env) {
  const { NETWORK: network, OPERATOR_MNEMONIC: operatorMnemonic } = readVariables(rootVariables, environment);
  return { networkId: networkIdOf(network), operatorMnemonic };
}
