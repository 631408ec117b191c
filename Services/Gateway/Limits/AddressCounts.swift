import ServiceKit

/// Counts what clients take of something bounded, in all and for each address.
struct AddressCounts {
  let max: Int
  let maxPerAddress: Int
  private(set) var total = 0
  private var byAddress: [ClientAddress: Int] = [:]

  init(max: Int, maxPerAddress: Int) {
    self.max = max
    self.maxPerAddress = maxPerAddress
  }

  /// Takes the given number, or returns false and changes nothing if there is no room.
  ///
  /// - Parameters:
  ///   - address: nil for a proxy, whose connections belong to many clients.
  ///   - isForced: what is counted exists already, so it is counted even beyond the bounds.
  mutating func take(_ count: Int, _ address: ClientAddress?, isForced: Bool = false) -> Bool {
    guard isForced || total + count <= max else { return false }
    if let address {
      guard isForced || hasRoom(for: count, address) else { return false }
      byAddress[address, default: 0] += count
    }
    total += count
    return true
  }

  /// Assigns a number taken without an address to that address; returns false if the address has too many.
  mutating func assign(_ count: Int, to address: ClientAddress) -> Bool {
    guard hasRoom(for: count, address) else { return false }
    byAddress[address, default: 0] += count
    return true
  }

  /// Gives back what was taken.
  mutating func give(_ count: Int, _ address: ClientAddress?) {
    total -= count
    guard let address else { return }
    let left = byAddress[address, default: count] - count
    byAddress[address] = left == 0 ? nil : left
  }

  private func hasRoom(for count: Int, _ address: ClientAddress) -> Bool {
    byAddress[address, default: 0] + count <= maxPerAddress
  }
}
