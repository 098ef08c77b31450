import type { createDocument } from 'zod-openapi';

type Paths = NonNullable<ReturnType<typeof createDocument>['paths']>;
type Operation = NonNullable<Paths[string]['get']>;
type Parameter = NonNullable<Operation['parameters']>[number];

/** Describes the parameters that name a resource in a path: their schemas are those of any id. */
const pathTexts: Readonly<Record<string, string>> = {
  address: 'Address of the wallet, in bech32.',
  assetId: 'ID of the asset.',
  claimId: 'ID of the claim.',
  factId: 'ID of the anchored fact, as in the `proof` link of a response.',
  hash: 'Hash of the transaction, in hex.',
  investmentId: 'ID of the investment.',
  keyId: 'ID of the API key. It is not the key itself.',
  proposalId: 'ID of the proposal.',
  reconciliationId: 'ID of the reconciliation.',
  rotationId: 'ID of the rotation.',
  sessionId: 'ID of the session. It is not the token.',
  stakeId: 'ID of the stake.',
  vaultId: 'ID of the vault.',
  voteId: 'ID of the vote.',
};

/**
 * Moves the description of each parameter out of its schema, where viewers do not look for it: a schema with a default or a
 * transformation keeps its description inside.
 */
export function describeParameters(paths: Paths): Paths {
  return mapValues(paths, (path) => mapValues(path as Readonly<Record<string, Operation>>, describeOperation));
}

function describeOperation(operation: Operation): Operation {
  const { parameters = [] } = operation;
  return { ...operation, ...(parameters.length > 0 && { parameters: parameters.map(describe) }) };
}

function describe(parameter: Parameter): Parameter {
  if (!('name' in parameter)) return parameter;
  const { description: inside, ...schema } = parameter.schema as { readonly description?: string };
  const description = parameter.description ?? inside ?? pathTexts[parameter.name];
  return { ...parameter, schema, ...(description !== undefined && { description }) };
}

function mapValues<Value, Mapped>(object: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
