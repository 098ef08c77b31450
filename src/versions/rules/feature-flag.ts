import type { BasisPoints } from '../../platform/units/money.ts';
import type { Instant } from '../../platform/units/instant.ts';
import { isAtLeast } from './version-policy.ts';

/** A feature that is rolled out gradually (spec, "Versioning" 10). */
export interface FeatureFlag {
  readonly name: string;
  readonly enabled: boolean;
  /** The first version of the API that has the feature. */
  readonly version: string;
  /** Share of the clients that have it. */
  readonly rollout: BasisPoints;
  /** Only these clients may have it; all when empty. */
  readonly clientIds: readonly string[];
  /** Only these deployments may have it; all when empty. */
  readonly environments: readonly string[];
  /** Null: from the beginning. */
  readonly startsAt: Instant | null;
}

/** Who asks for a feature, where and when. */
export interface FeatureRequest {
  /** The wallet that is logged in, and the API key; the first of them is who the rollout counts. */
  readonly clientIds: readonly [string, ...string[]];
  readonly environment: string;
  /** The version of the API that the client uses. */
  readonly version: string;
  readonly now: Instant;
}

/** Whether the client has the feature. A larger rollout takes it from nobody. */
export function isFeatureOn(flag: FeatureFlag, { clientIds, environment, version, now }: FeatureRequest): boolean {
  if (!flag.enabled || !isAtLeast(version, flag.version)) return false;
  if (flag.startsAt !== null && now < flag.startsAt) return false;
  if (flag.environments.length > 0 && !flag.environments.includes(environment)) return false;
  if (flag.clientIds.length > 0 && !clientIds.some((id) => flag.clientIds.includes(id))) return false;
  return bucketOf(`${flag.name} ${clientIds[0]}`) < Number(flag.rollout);
}

const BUCKETS = 10_000;

/** The bucket of a text, the same in every process: FNV-1a, mixed so that similar texts fall far apart. */
function bucketOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % BUCKETS;
}
