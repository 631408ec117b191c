import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("Encryption and authorization of pushes (RFC 8291, RFC 8292)")
struct PushEncryptionTests {
  private static let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

  private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

  @Test("RFC 8291's example (Appendix A) is reproduced byte for byte")
  func example() throws {
    let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let body = try PushEncryption.body(
      Array("When I grow up, I want to be a watermelon".utf8), for: PushKey(text: Self.key), PushSecret(text: Self.secret),
      by: own,
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"), padding: 0)
    #expect(
      Base64URL.encode(body)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        + "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
  }

  @Test("No encrypted body exceeds the maximum of push services, nor reveals the length of a short text")
  func lengths() throws {
    let (key, secret) = (try PushKey(text: Self.key), try PushSecret(text: Self.secret))
    let lengths = try [0, 1, 200, 2999, PushEncryption.maxPlaintext].map {
      try PushEncryption.body(Array(repeating: 0x61, count: $0), for: key, secret).count
    }
    #expect(lengths[0] == lengths[1] && lengths[1] == lengths[2])
    #expect(lengths.allSatisfy { $0 <= PushEncryption.maxBody } && lengths[4] == PushEncryption.maxBody)
    // Each under a key and salt of its own.
    #expect(try PushEncryption.body([1], for: key, secret) != PushEncryption.body([1], for: key, secret))
    #expect(PushEncryption.isPoint(key) && !PushEncryption.isPoint(.placeholder))
  }

  @Test(
    "A push token is signed for its service, for a few hours, by the server's key, which persists and can be replaced")
  func authorization() throws {
    let home = Home(path: "/tmp/racha-push-keys-\(UInt32.random(in: .min ... .max))")
    defer { try? FileManager.default.removeItem(atPath: home.path) }
    try Home.makePrivateFolder(home.path)
    let first = try PushKeys(home).newest()
    #expect(try PushKeys(home).newest() == first)
    let file = try FileManager.default.attributesOfItem(atPath: "\(home.keys)/push")
    #expect(file[.posixPermissions] as? Int == 0o600 && file[.size] as? Int == 32)
    let endpoint = try PushEndpoint(text: "https://push.example.org:8443/send/1?x=2")
    let signer = try #require(try PushKeys(home).signer(first))
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    let header = try PushAuthorization.header(endpoint, signer, contact: "mailto:ops@example.org", at: now)
    #expect(header.hasPrefix("vapid t=") && header.hasSuffix(", k=\(first)"))
    let token = header.dropFirst(8).prefix { $0 != "," }.split(separator: ".").map(String.init)
    #expect(
      String(decoding: try bytes(token[1]), as: UTF8.self)
        == #"{"aud":"https://push.example.org:8443","exp":1795305600,"sub":"mailto:ops@example.org"}"#)
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: Data(bytes(token[2])))
    #expect(signer.publicKey.isValidSignature(signature, for: Data("\(token[0]).\(token[1])".utf8)))

    // Rotation: the next is given out, the older serves those who have it until it is removed.
    _ = try home.secret("push-2")
    let keys = PushKeys(home)
    #expect(try keys.newest() != first && keys.signer(first) != nil)
    try FileManager.default.removeItem(atPath: "\(home.keys)/push")
    #expect(try PushKeys(home).signer(first) == nil && PushKeys(home).newest() == keys.newest())
  }
}
