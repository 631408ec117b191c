/// A day of an account as last counted, for coins or leaderboards: its steps and its revision.
struct CountedDay: Hashable, Sendable {
  let steps: Int
  let revision: Int
}
