import Operations

/// An amount spread evenly over a stretch of time, and over the local days that it touches.
///
/// The share of a part is the integer amount up to the part's end minus that up to its start: so the shares of all parts add up to the
/// amount, however the time is divided.
struct Spread: Hashable, Sendable {
  /// A part of the time within one local day.
  struct Piece: Hashable, Sendable {
    let day: LocalDay
    let from: Int64
    let until: Int64
    /// The time of all earlier pieces, in the order of days.
    let elapsed: Int64
  }

  /// Steps, or millimetres.
  let amount: Int
  /// Milliseconds since 1970.
  let from: Int64
  /// The end, excluded; after `from`.
  let until: Int64
  /// The first local day.
  let day: LocalDay
  /// Sorted by day; empty where the whole time is within one day.
  let pieces: [Piece]

  var lastDay: LocalDay { pieces.last?.day ?? day }

  /// The amount in the first so many milliseconds.
  func upTo(_ elapsed: Int64) -> Int {
    // At most a thousand million millimetres times the milliseconds of a day: far from overflow.
    Int(Int64(amount) * elapsed / (until - from))
  }

  /// The amount in a part of a piece.
  func share(of piece: Piece, from: Int64, until: Int64) -> Int {
    upTo(piece.elapsed + until - piece.from) - upTo(piece.elapsed + from - piece.from)
  }

  /// Calls the body with each minute of the clock that a part of a piece touches, and the amount in it; the amounts add up to that of the
  /// part.
  func forEachMinute(of piece: Piece, from: Int64, until: Int64, _ body: (Int64, Int) -> Void) {
    let length = self.until - self.from
    var minute = from.floorDivided(by: Spread.minute)
    var end = (minute + 1) * Spread.minute
    var before = upTo(piece.elapsed + from - piece.from)
    if end < until {
      // The amount up to the end of each minute grows by a constant, and now and then by one more.
      var (now, rest) = (Int64(amount) * (piece.elapsed + end - piece.from)).quotientAndRemainder(dividingBy: length)
      let (step, stepRest) = (Int64(amount) * Spread.minute).quotientAndRemainder(dividingBy: length)
      while end < until {
        body(minute, Int(now) - before)
        before = Int(now)
        now += step
        rest += stepRest
        if rest >= length {
          now += 1
          rest -= length
        }
        minute += 1
        end += Spread.minute
      }
    }
    body(minute, upTo(piece.elapsed + until - piece.from) - before)
  }

  private static let minute: Int64 = 60_000

  /// Calls the body with each piece in order.
  func forEachPiece(_ body: (Piece) throws -> Void) rethrows {
    if pieces.isEmpty {
      try body(Piece(day: day, from: from, until: until, elapsed: 0))
    } else {
      for piece in pieces { try body(piece) }
    }
  }
}
