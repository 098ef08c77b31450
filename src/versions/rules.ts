import { type Instant, secondsAfter, instant } from '../platform/units/time.ts';
import type { BasisPoints } from '../platform/units/money.ts';

/** The spec's rules for old versions ("Versioning" 4 and 5). */
export const deprecationPolicy = { noticeDays: 180, supportDays: 365, maxSupported: 2 } as const;

interface ParsedVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Parses `v<major>.<minor>.<patch>`; undefined for other text. */
function parseVersion(text: string): ParsedVersion | undefined {
  const [, major, minor, patch] = /^v(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Whether `version` is `least` or a later one; false for text that is no version. */
export function isAtLeast(version: string, least: string): boolean {
  const [used, wanted] = [parseVersion(version), parseVersion(least)];
  if (!used || !wanted) return false;
  if (used.major !== wanted.major) return used.major > wanted.major;
  if (used.minor !== wanted.minor) return used.minor > wanted.minor;
  return used.patch >= wanted.patch;
}

/** What a caller of a major version gets. */
export type VersionSupport =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ended'; readonly minimum: Release }
  | { readonly kind: 'active'; readonly release: Release }
  | { readonly kind: 'deprecated'; readonly release: Release; readonly sunset: Instant; readonly guide: string };

/** How a major version is supported at `now`. Every version below the minimum has ended, also one that was never released. */
export function supportOf(releases: readonly Release[], major: number, now: Instant): VersionSupport {
  const release = releases.find((one) => majorOf(one) === major && one.releasedAt <= now);
  if (release && statusAt(releases, release, now) !== 'sunset') return supported(releases, release, now);
  const minimum = minimumAt(releases, now);
  if (!minimum) return { kind: 'unknown' };
  return release || major < majorOf(minimum) ? { kind: 'ended', minimum } : { kind: 'unknown' };
}

function supported(releases: readonly Release[], release: Release, now: Instant): VersionSupport {
  const sunset = sunsetOf(releases, release);
  if (sunset === null || statusAt(releases, release, now) === 'active') return { kind: 'active', release };
  const { migrationGuide: guide } = successorOf(releases, release) ?? release;
  return { kind: 'deprecated', release, sunset, guide };
}

/** The spec's `deprecationStatus`. A version ends at the instant of its sunset. */
type DeprecationStatus = 'active' | 'deprecated' | 'sunset';

export function statusAt(releases: readonly Release[], release: Release, now: Instant): DeprecationStatus {
  const sunset = sunsetOf(releases, release);
  if (release.deprecatedAt === null || sunset === null || now < release.deprecatedAt) return 'active';
  return now < sunset ? 'deprecated' : 'sunset';
}

/**
 * The end of a version: the support window after the release of its successor, and not before the notice has passed. Null while
 * its deprecation is not planned.
 */
export function sunsetOf(releases: readonly Release[], release: Release): Instant | null {
  const { deprecatedAt } = release;
  if (deprecatedAt === null) return null;
  const noticed = daysAfter(deprecatedAt, deprecationPolicy.noticeDays);
  const successor = successorOf(releases, release);
  const supportedUntil = daysAfter(successor?.releasedAt ?? deprecatedAt, deprecationPolicy.supportDays);
  return noticed > supportedUntil ? noticed : supportedUntil;
}

/** The oldest version that is supported at `now`. */
function minimumAt(releases: readonly Release[], now: Instant): Release | undefined {
  return releases.find((one) => one.releasedAt <= now && statusAt(releases, one, now) !== 'sunset');
}

/** Why a list of releases breaks the policy; empty when it keeps it. */
export function policyProblems(releases: readonly Release[]): string[] {
  return releases.flatMap((release, index) => {
    const { version, releasedAt, deprecatedAt } = release;
    const before = releases[index - 1];
    const supportedThen = releases
      .slice(0, index + 1)
      .filter((one) => statusAt(releases, one, releasedAt) !== 'sunset').length;
    return [
      ...(parseVersion(version) ? [] : [`${version} is not v<major>.<minor>.<patch>`]),
      ...(before && majorOf(before) >= majorOf(release) ? [`${version} does not raise the major version`] : []),
      ...(before && before.releasedAt > releasedAt ? [`${version} is released before ${before.version}`] : []),
      ...(deprecatedAt !== null && deprecatedAt < releasedAt ? [`${version} is deprecated before its release`] : []),
      ...(supportedThen > deprecationPolicy.maxSupported
        ? [`${version} would be supported version ${supportedThen}`]
        : []),
    ];
  });
}

function majorOf({ version }: Release): number {
  return parseVersion(version)?.major ?? -1;
}

function successorOf(releases: readonly Release[], release: Release): Release | undefined {
  return releases[releases.indexOf(release) + 1];
}

function daysAfter(from: Instant, days: number): Instant {
  return secondsAfter(from, days * 86_400);
}

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

/** What the versions of the API are announced with (spec, "Versioning" 9). */
export const announcementKinds = ['NEW_VERSION', 'DEPRECATION', 'END_OF_LIFE'] as const;
export type AnnouncementKind = (typeof announcementKinds)[number];

/** How far a version is developed. It is deprecated from `deprecatedAt` on (spec, "Versioning" 2). */
type Maturity = 'alpha' | 'beta' | 'stable';

/** The newest version of one major version of the API contract. */
export interface Release {
  /** `v<major>.<minor>.<patch>` */
  readonly version: string;
  readonly maturity: Maturity;
  readonly releasedAt: Instant;
  /** When its deprecation begins; null while none is planned. */
  readonly deprecatedAt: Instant | null;
  /** Address of the guide for callers who move to this major version. */
  readonly migrationGuide: string;
}

/** The version of the contract that this service implements; not the version of the program. */
export const apiVersion = 'v1.0.0';

/** Every major version that was ever released, the oldest first. */
export const apiReleases: readonly Release[] = [
  {
    version: apiVersion,
    maturity: 'stable',
    releasedAt: instant(Date.UTC(2026, 10, 20)),
    deprecatedAt: null,
    migrationGuide: '/docs/migrations/v1',
  },
];
