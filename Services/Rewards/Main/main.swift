import RewardsService

Rewards.main()
