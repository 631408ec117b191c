import Operations

/// An amount spread evenly over a stretch of time, and over the local days that it touches.
///
/// Of any part of the time, the share is the whole number up to the part's end less that up to its beginning: so the shares of parts
/// that make up the whole add up to the amount, however it is cut.
struct Spread: Hashable, Sendable {
  /// A part of the time within one local day.
  struct Piece: Hashable, Sendable {
    let day: LocalDay
    let from: Int64
    let until: Int64
    /// How much of the whole time lies before it, in the order of days.
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
  /// By day; empty where all of it lies in one.
  let pieces: [Piece]

  var lastDay: LocalDay { pieces.last?.day ?? day }

  /// What falls into the first so many milliseconds.
  func upTo(_ elapsed: Int64) -> Int {
    // At most a thousand million millimetres times the milliseconds of a day: far from overflow.
    Int(Int64(amount) * elapsed / (until - from))
  }

  /// What falls into a part of a piece.
  func share(of piece: Piece, from: Int64, until: Int64) -> Int {
    upTo(piece.elapsed + until - piece.from) - upTo(piece.elapsed + from - piece.from)
  }

  /// Calls the body with each piece in order.
  func forEachPiece(_ body: (Piece) throws -> Void) rethrows {
    if pieces.isEmpty {
      try body(Piece(day: day, from: from, until: until, elapsed: 0))
    } else {
      for piece in pieces { try body(piece) }
    }
  }
}
