extension Int64 {
  /// The quotient rounded towards negative infinity.
  public func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
