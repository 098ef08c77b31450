/** Hex digits of a policy id; the name of an asset follows it in a unit. */
const POLICY_LENGTH = 56;

/** The policy id of an asset's unit (policy id and asset name, both in hex). */
export function policyOf(unit: string): string {
  return unit.slice(0, POLICY_LENGTH);
}

/** The name in hex of an asset's unit (policy id and asset name, both in hex). */
export function nameOf(unit: string): string {
  return unit.slice(POLICY_LENGTH);
}
