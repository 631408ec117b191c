import Operations
import RewardsContract
import Testing

@Suite("The contract of rewards")
struct ContractTests {
  let words = Words(Contract.rewards.words)

  @Test("has words in both languages for every failure and rule")
  func texts() {
    #expect(words.keys(.english) == words.keys(.spanish))
    let failures = Contract.rewards.operations.flatMap { $0.spec.failures.map { "failure.\($0.code)" } }
    let rules = ["not_after", "not_a_redemption_code"].map { "field.\($0)" }
    #expect(Set(failures + rules).subtracting(words.keys(.english)) == [])
  }

  @Test("says in the source's words that there are not enough coins (E UC-04, AF-01)")
  func notEnoughCoins() {
    #expect(words.text("failure.not_enough_coins", .english) == "Not enough coins to redeem this reward.")
    #expect(words.text("failure.not_enough_coins", .spanish) == "No tienes monedas suficientes para canjear esta recompensa.")
  }

  @Test("can be written as schemas, every field described")
  func schemas() {
    var schemas = Schemas()
    for operation in Contract.rewards.operations { record(operation, in: &schemas) }
    for event in Contract.rewards.events { _ = schemas.reference(to: event) }
    for (name, schema) in schemas.components {
      guard case .object(let properties)? = schema["properties"] else { continue }
      for property in properties where property.value["$ref"] == nil {
        #expect(property.value["description"] != nil, "\(name).\(property.name)")
      }
    }
  }

  private func record<O: Operation>(_ operation: O.Type, in schemas: inout Schemas) {
    _ = schemas.reference(to: O.Input.self)
    _ = schemas.reference(to: O.Output.self)
  }
}
