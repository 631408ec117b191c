/// Identifies a request of a caller, so that a retry has no further effect.
public struct IdempotencyKey: Sendable {
  let caller: String
  let owner: String
  let key: String
  let operation: String
  let payload: [UInt8]

  /// - Parameters:
  ///   - caller: the caller that the key belongs to: the same key of another caller is a different one.
  ///   - owner: the owner of the allowance that the record draws on, see ``StoreLimits/idempotencyBytes``; the caller if nil.
  ///   - key: the key that the caller chose.
  ///   - operation: the operation requested.
  ///   - payload: all that the request's effect depends on.
  public init(caller: String, owner: String? = nil, key: String, operation: String, payload: [UInt8]) {
    self.caller = caller
    self.owner = owner ?? caller
    self.key = key
    self.operation = operation
    self.payload = payload
  }
}
