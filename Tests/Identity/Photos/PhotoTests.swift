import Foundation
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Testing

@testable import IdentityService

@Suite("Photos (ID-11; H CU-6; B UC15)")
struct PhotoTests {
  private func put(_ identity: RunningIdentity, _ signedIn: SignedIn, _ bytes: [UInt8]) async throws -> OwnAccount {
    try await identity.ask(PutPhoto.self, .init(content: Base64Bytes(bytes)), by: .signedIn(signedIn))
  }

  private func own(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> MediaFile {
    try await identity.ask(GetOwnPhoto.self, .init(), by: .signedIn(signedIn))
  }

  @Test("A chosen photo is stored, and visible to other users (CU-6, UC15)")
  func chosen() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      let account = try await put(identity, ana, try Portrait.png())
      let photo = try await own(identity, ana)
      #expect(account.photoTag == photo.tag && photo.mediaType == "image/png")
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana)).photoTag == photo.tag)
      let seen = try await identity.ask(GetPhoto.self, .init(accountID: ana.account.id), by: .signedIn(bea))
      #expect(seen == photo)
    }
  }

  @Test("An account's new photo replaces the old one under another tag, and the same picture has the same tag")
  func replaced() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let first = try await put(identity, ana, try Portrait.png()).photoTag
      let second = try await put(identity, ana, try Portrait.jpeg()).photoTag
      #expect(first != second && first?.count == 32)
      #expect(try await own(identity, ana).mediaType == "image/jpeg")
      #expect(try await put(identity, ana, try Portrait.png()).photoTag == first)
      #expect(try await identity.count("SELECT COUNT(*) FROM photos") == 1)
    }
  }

  @Test("An account's photo keeps neither its location nor its other metadata, not even in the store")
  func metadata() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let sent = try Portrait.jpeg()
      #expect(Data(sent).range(of: Data("PLANTED-SECRET".utf8)) != nil)
      _ = try await put(identity, ana, sent)
      let photo = Data(try await own(identity, ana).content.bytes)
      let stores = FileManager.default.enumerator(atPath: identity.home.stores)
      var kept = photo
      for case let name as String in try #require(stores) {
        kept += try Data(contentsOf: URL(fileURLWithPath: "\(identity.home.stores)/\(name)"))
      }
      for trace in ["PLANTED-SECRET", "Exif"] { #expect(kept.range(of: Data(trace.utf8)) == nil, "\(trace)") }
      #expect(kept.range(of: photo, in: photo.count..<kept.count) != nil)
    }
  }

  @Test("Removing an account's photo can be repeated")
  func removed() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      #expect(try await failure { try await own(identity, ana) }.code == "not_found")
      _ = try await put(identity, ana, try Portrait.png())
      for _ in 0..<2 {
        #expect(try await identity.ask(DeletePhoto.self, .init(), by: .signedIn(ana)).photoTag == nil)
      }
      #expect(try await failure { try await own(identity, ana) }.code == "not_found")
      #expect(try await identity.count("SELECT COUNT(*) FROM photos") == 0)
    }
  }

  @Test("An unacceptable picture is refused with its rule, and the photo stays (UC15, alternative flow; T UC 02.01)")
  func refused() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let kept = try await put(identity, ana, try Portrait.png()).photoTag
      let large = [UInt8](repeating: 7, count: 65_537)
      let cases: [([UInt8], String)] = [
        (large, "picture_too_large"), (Array("GIF89a".utf8), "picture_unknown"), ([], "picture_unknown"),
        (Array(try Portrait.png().dropLast(20)), "picture_damaged"), (try Portrait.file("moving.png"), "picture_moves"),
      ]
      for (bytes, code) in cases {
        let refused = try await failure { try await put(identity, ana, bytes) }
        #expect(refused.fields.map { "\($0.field) \($0.code)" } == ["content \(code)"])
      }
      for body in ["{}", #"{"content":"no base64!"}"#, #"{"content":7}"#, #"{"content":"aGk"}"#] {
        let refused = try await failure { try await identity.ask(PutPhoto.self, json: body, by: .signedIn(ana)) }
        #expect(refused.fields.map(\.field) == ["content"], "\(body)")
      }
      #expect(try await own(identity, ana).tag == kept)
    }
  }

  @Test("Accounts of which one has blocked the other find no photo of each other (SOC-8)")
  func blocked() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      for person in [ana, bea] { _ = try await put(identity, person, try Portrait.png()) }
      func codes() async throws -> [String] {
        var codes: [String] = []
        for (viewer, seen) in [(ana, bea), (bea, ana)] {
          do {
            _ = try await identity.ask(GetPhoto.self, .init(accountID: seen.account.id), by: .signedIn(viewer))
            codes.append("")
          } catch let refused as Failure {
            codes.append(refused.code)
          }
        }
        return codes
      }
      #expect(try await codes() == ["", ""])
      try await identity.block(ana.account.id, bea.account.id)
      #expect(try await codes() == ["not_found", "not_found"])
      try await identity.block(ana.account.id, bea.account.id, false, revision: 2)
      #expect(try await codes() == ["", ""])
      // One's own is not closed by what others do.
      try await identity.block(bea.account.id, ana.account.id, revision: 3)
      #expect(try await identity.ask(GetPhoto.self, .init(accountID: ana.account.id), by: .signedIn(ana)).tag.count == 32)
    }
  }

  @Test("A suspended account's photo cannot be read until the suspension ends (SOC-8)")
  func suspended() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      _ = try await put(identity, ana, try Portrait.png())
      try await identity.suspend(ana.account.id, until: identity.time.now.adding(seconds: 60))
      let input = GetPhoto.Input(accountID: ana.account.id)
      #expect(try await failure { try await identity.ask(GetPhoto.self, input, by: .signedIn(bea)) }.code == "not_found")
      identity.time.advance(seconds: 60)
      _ = try await identity.ask(GetPhoto.self, input, by: .signedIn(bea))
    }
  }

  @Test("A photo is cached for good only under the address of its own version (SOC-2)")
  func versions() async throws {
    try await RunningIdentity.run { identity in
      let (ana, bea) = (try await identity.join("ana"), try await identity.join("bea"))
      let first = try #require(try await put(identity, ana, try Portrait.png()).photoTag)
      func photo(_ version: String?) async throws -> MediaFile {
        try await identity.ask(GetPhoto.self, .init(accountID: ana.account.id, version: version), by: .signedIn(bea))
      }
      #expect(try await photo(first).isImmutable == true)
      #expect(try await photo(nil).isImmutable == nil)
      let second = try #require(try await put(identity, ana, try Portrait.jpeg()).photoTag)
      for version in [first, "0", nil] {
        let seen = try await photo(version)
        #expect(seen.tag == second && seen.isImmutable == nil, "\(version ?? "none")")
      }
      #expect(try await photo(second).isImmutable == true)
      #expect(try await own(identity, ana).isImmutable == nil)
      let long = String(repeating: "0", count: 101)
      let refused = try await failure { try await photo(long) }
      #expect(refused.fields.map { "\($0.field) \($0.code)" } == ["version too_long"])
    }
  }

  @Test("A photo of an unknown account is not found")
  func nobody() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let refused = try await failure {
        try await identity.ask(GetPhoto.self, .init(accountID: AccountID()), by: .signedIn(ana))
      }
      #expect(refused.code == "not_found")
    }
  }
}
