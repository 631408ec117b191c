/// A witness's decision on a checkpoint that it is asked to cosign (c2sp.org/tlog-witness, “add-checkpoint”): the rules, without clock,
/// store or network.
public enum Witness {
  /// Why the witness does not cosign.
  public enum Refusal: Error, Hashable, Sendable {
    /// It does not watch that log.
    case unknownOrigin
    /// No key of the log has signed.
    case notSigned
    /// Not a valid request by the specification.
    case badRequest
    /// It has cosigned another size last.
    case otherSize(Int)
    /// The log has not only grown since.
    case inconsistent

    /// The status of the answer over HTTP.
    public var status: Int {
      switch self {
      case .unknownOrigin: 404
      case .notSigned: 403
      case .badRequest: 400
      case .otherSize: 409
      case .inconsistent: 422
      }
    }
  }

  /// Decides on a request.
  ///
  /// - Parameters:
  ///   - keys: the keys of the log with that origin; nil if it is not watched.
  ///   - last: the checkpoint of the origin that was cosigned last; nil before the first one.
  /// - Returns: the checkpoint to be cosigned, and to be remembered before the cosignature is handed out.
  public static func decide(
    _ body: [UInt8], keys: (_ origin: String) -> [VerifierKey]?, last: (_ origin: String) throws -> Checkpoint?
  ) throws -> (checkpoint: Checkpoint, note: SignedNote) {
    guard let request = try? WitnessRequest(parsing: body), let checkpoint = try? Checkpoint(text: request.note.text) else {
      throw Refusal.badRequest
    }
    guard let keys = keys(checkpoint.origin) else { throw Refusal.unknownOrigin }
    do { try request.note.verify(by: keys) } catch { throw Refusal.notSigned }
    guard request.oldSize <= checkpoint.size else { throw Refusal.badRequest }
    let last = try last(checkpoint.origin) ?? Checkpoint(origin: checkpoint.origin, size: 0, root: .empty)
    guard request.oldSize == last.size else { throw Refusal.otherSize(last.size) }
    do {
      try request.consistency.verify(from: last.size, last.root, to: checkpoint.size, checkpoint.root)
    } catch {
      throw Refusal.inconsistent
    }
    return (checkpoint, request.note)
  }
}
