import Operations

/// What stands on one line.
enum RPCMessage: Sendable {
  case single(RPCRequest)
  /// Each entry for itself: a malformed one spoils no other.
  case batch([Result<RPCRequest, RPCError>])

  /// Entries of a batch that are no requests.
  var countOfNoRequests: Int {
    switch self {
    case .single: 0
    case .batch(let entries):
      entries.count { entry in
        if case .failure = entry { true } else { false }
      }
    }
  }

  /// - Throws: ``RPCError`` where the line cannot be answered entry by entry.
  init(_ line: [UInt8], maxEntries: Int) throws(RPCError) {
    guard line.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "[") else {
      self = .single(try RPCRequest(line))
      return
    }
    let elements: [[UInt8]]
    do {
      elements = try JSONTape(line).rawElements
    } catch {
      throw .parseError(error, in: line)
    }
    guard !elements.isEmpty else { throw .invalidRequest(id: nil, .batchEmpty) }
    guard elements.count <= maxEntries else {
      throw .invalidRequest(id: nil, .batchTooLong, ["limit": .number(maxEntries)])
    }
    self = .batch(
      elements.map { element in
        do throws(RPCError) {
          return .success(try RPCRequest(element))
        } catch {
          return .failure(error)
        }
      })
  }
}
