/** Why a stake is no longer in its script: it went back, it never arrived, or its owner took it back alone. */
export const stakeReleaseReasons = ['unstaked', 'expired', 'reclaimed'] as const;

export type StakeReleaseReason = (typeof stakeReleaseReasons)[number];
