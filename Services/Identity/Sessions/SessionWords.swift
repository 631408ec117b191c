import IdentityContract
import Operations
import ServiceKit

/// What a session is called in its owner's language. A test sees to it that every language has the words.
enum SessionWords {
  static let words = Words(Contract.identity.words)

  /// The client's program, such as "Firefox on Linux"; nil if the client does not say.
  static func program(_ agent: UserAgent, _ language: Language) -> String? {
    guard let program = agent.program, let system = agent.system else { return agent.program ?? agent.system }
    return words.text("device.program_on_system", language, ["program": .text(program), "system": .text(system)])
  }

  /// The device that nothing is known of.
  static func unknownDevice(_ language: Language) -> String {
    words.text("device.unknown", language) ?? ""
  }

  /// The device of a login: the name that the client gave it, else the client's program, else "unknown".
  static func device(_ named: String?, _ userAgent: String?, _ language: Language) -> String {
    named ?? program(UserAgent(userAgent), language) ?? unknownDevice(language)
  }

  /// The place of an address by the database of places, else its kind of network as far as the address shows it.
  static func place(_ address: String?, _ places: PlaceDatabase, _ language: Language) -> SessionPlace {
    guard let address = address.flatMap({ IPAddress($0) }) else { return place(.unknown, nil, language) }
    if address.isLoopback { return place(.thisComputer, nil, language) }
    if address.isPrivate { return place(.privateNetwork, nil, language) }
    guard let found = places.place(address) else { return place(.network, address.network, language) }
    let (city, country) = (Place.name(found.city, language), Place.name(found.country, language) ?? found.countryCode)
    let names = [city, country].compactMap { $0 }
    guard !names.isEmpty else { return place(.network, address.network, language) }
    let name = words.text("place.located", language, ["place": .text(names.joined(separator: ", "))])
    return SessionPlace(
      kind: .located, network: address.network, city: city, country: country, name: name ?? names.joined(separator: ", "))
  }

  private static func place(_ kind: SessionPlace.Kind, _ network: String?, _ language: Language) -> SessionPlace {
    let name = words.text("place.\(kind.rawValue)", language, network.map { ["network": .text($0)] } ?? [:])
    return SessionPlace(kind: kind, network: network, name: name ?? kind.rawValue)
  }
}
