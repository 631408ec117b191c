// Rewards
