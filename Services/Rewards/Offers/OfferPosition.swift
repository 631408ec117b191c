import Operations
import RewardsContract

/// An offer's position in a list: `<sort value>.<id>`.
struct OfferPosition: CustomStringConvertible, Hashable {
  /// Milliseconds, coins, or the bits of a squared chord, whose order is that of the numbers.
  let value: Int64
  let offer: OfferID

  init(value: Int64, offer: OfferID) {
    self.value = value
    self.offer = offer
  }

  init(text: String) throws(FieldRule) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let value = Int64(parts[0]) else { throw PageCursor.invalid }
    self.value = value
    offer = try OfferID(text: String(parts[1]))
  }

  var description: String { "\(value).\(offer)" }

  static func < (one: OfferPosition, other: OfferPosition) -> Bool {
    one.value == other.value ? one.offer.bytes.lexicographicallyPrecedes(other.offer.bytes) : one.value < other.value
  }
}
