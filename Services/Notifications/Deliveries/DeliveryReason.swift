import Operations

/// Why a delivery is held, failed or silent, in words.
enum DeliveryReason {
  /// - Parameter reason: as the log has it; `rejected_550` has the words of `rejected`, with the reply.
  static func text(_ reason: String, _ language: Language) -> String {
    let words = NotificationText.words
    let parts = reason.split(at: "_", maxSplits: 1)
    let reply = parts.count == 2 ? Int(parts[1]) : nil
    let key = reply == nil ? reason : String(parts[0])
    let parameters: [String: Parameter] = reply.map { ["reply": .number($0)] } ?? [:]
    return words.text("delivery.\(key)", language) ?? words.text("mail.failure.\(key)", language, parameters) ?? reason
  }
}
