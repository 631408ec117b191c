import Foundation
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Accounts in the register (TASK-9)")
struct RegisterAccountTests {
  private func line(_ number: Int, _ kind: RegisterRecordKind) -> RegisterRecordLine {
    RegisterRecordLine(number: number, kind: kind, at: .now, commitment: Base64Bytes(Array(repeating: UInt8(number), count: 32)))
  }

  @Test("Identity's records become leaves in order, once, also after a restart of social")
  func fetched() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let identity = IdentityDouble()
    for round in 1...2 {
      identity.register(line(2 * round - 1, .accountCreated))
      identity.register(line(2 * round, .profileChanged))
      try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: path) { services in
        _ = try await services.registered(2 * round)
        let kinds = try await services.registerKinds()
        #expect(kinds == Array(repeating: ["accountCreated", "profileChanged"], count: round).flatMap { $0 })
        let leaf = try await services.call(GetRegisterAccountLeaf.self, .init(recordNumber: 2), as: .nobody)
        #expect(leaf.number == 1)
        #expect(try await services.refusal(GetRegisterAccountLeaf.self, .init(recordNumber: 9), as: .nobody) == "not_found")
      }
    }
  }

  @Test("An account's change while social runs is registered by its event")
  func woken() async throws {
    let identity = IdentityDouble()
    try await ServicesInProcess.running([{ Social.service($0) }], identity: identity) { services in
      identity.register(line(1, .accountCreated))
      _ = try await services.register()
      _ = try await services.registered(1)
      #expect(try await services.registerKinds() == ["accountCreated"])
    }
  }

  @Test(
    "After identity was restored from a copy, its newer records become leaves, whatever their numbers")
  func putBack() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    func run(_ identity: IdentityDouble, _ leaves: Int) async throws -> [String] {
      try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: path) { services in
        _ = try await services.registered(leaves)
        let store = services.store(of: .social)
        #expect(try await store.read { try RegisterAccountStore.last($0) } == identity.registeredCount)
        return try await services.registerKinds()
      }
    }
    let at = Instant.now
    func line(_ number: Int, _ kind: RegisterRecordKind, salt: UInt8) -> RegisterRecordLine {
      let commitment = Array(repeating: salt, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]
      return RegisterRecordLine(number: number, kind: kind, at: at, commitment: Base64Bytes(commitment))
    }
    let (before, after, fewer) = (IdentityDouble(), IdentityDouble(), IdentityDouble())
    for number in 1...1_300 { before.register(line(number, .accountCreated, salt: 1)) }
    #expect(try await run(before, 1_300).count == 1_300)
    // 40 records were lost, and 60 others have come.
    for number in 1...1_260 { after.register(line(number, .accountCreated, salt: 1)) }
    for number in 1_261...1_320 { after.register(line(number, .profileChanged, salt: 2)) }
    let kinds = try await run(after, 1_360)
    #expect(kinds == Array(repeating: "accountCreated", count: 1_300) + Array(repeating: "profileChanged", count: 60))
    #expect(try await run(after, 1_360) == kinds)
    // Now 1,250 were lost, and there are fewer than before.
    for number in 1...70 { fewer.register(line(number, .accountCreated, salt: 1)) }
    fewer.register(line(71, .accountDeleted, salt: 3))
    #expect(try await run(fewer, 1_361) == kinds + ["accountDeleted"])
  }

  @Test("Records with a gap or repeated ones become no leaves")
  func gaps() async throws {
    try await ServicesInProcess.withPeople(0) { services, _ in
      let store = services.store(of: .social)
      let (first, third) = (line(1, .accountCreated), line(3, .accountCreated))
      let append: @Sendable ([RegisterRecordLine], Int) async throws -> Bool = { records, last in
        try await store.write { try RegisterAccountStore.append(records, after: last, $0) }
      }
      #expect(try await append([first], 0))
      #expect(try await !append([third], 1))
      #expect(try await append([first], 0))
      #expect(try await services.registerKinds().count == 1)
      try await store.write { try RegisterAccountStore.goBack(to: 0, from: 1, $0) }
      #expect(try await append([first], 0))
      #expect(try await services.registerKinds().count == 2)
    }
  }
}
