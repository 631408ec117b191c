import IdentityContract
import Operations

/// What a session is called in its owner's language. A test sees to it that every language has the words.
enum SessionWords {
  static let words = Words(Contract.identity.words)

  /// What the client runs, such as "Firefox on Linux"; nil if it does not say.
  static func program(_ agent: UserAgent, _ language: Language) -> String? {
    guard let program = agent.program, let system = agent.system else { return agent.program ?? agent.system }
    return words.text("device.program_on_system", language, ["program": .text(program), "system": .text(system)])
  }

  /// The device that nothing is known of.
  static func unknownDevice(_ language: Language) -> String {
    words.text("device.unknown", language) ?? ""
  }

  /// Where an address belongs to, as far as it tells by itself.
  static func place(_ address: String?, _ language: Language) -> SessionPlace {
    guard let address = address.flatMap({ NetworkAddress($0) }) else { return place(.unknown, nil, language) }
    if address.isLoopback { return place(.thisComputer, nil, language) }
    if address.isPrivate { return place(.privateNetwork, nil, language) }
    return place(.network, address.network, language)
  }

  private static func place(_ kind: SessionPlace.Kind, _ network: String?, _ language: Language) -> SessionPlace {
    let name = words.text("place.\(kind.rawValue)", language, network.map { ["network": .text($0)] } ?? [:])
    return SessionPlace(kind: kind, network: network, name: name ?? kind.rawValue)
  }
}
