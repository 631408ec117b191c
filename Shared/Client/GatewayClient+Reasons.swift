import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

extension GatewayClient {
  /// Passes `body` a client that does not retry failed connections: the reason for a failure is reported at once.
  ///
  /// - Parameter anyCertificate: whether any certificate of the gateway is accepted. For a cluster on this machine, whose certificate is
  ///   self-signed or made for another name: nobody stands in between.
  public static func with(url: String, anyCertificate: Bool, _ body: (GatewayClient) async throws -> Void) async throws {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    configuration.connectionPool.retryConnectionEstablishment = false
    var tls = TLSConfiguration.makeClientConfiguration()
    if anyCertificate { tls.certificateVerification = .none }
    configuration.tlsConfiguration = tls
    try await HTTPClient.withHTTPClient(configuration: configuration) { try await body(GatewayClient(url: url, http: $0)) }
  }

  /// Why there was no answer, as a sentence for people; nil for an error that is not a failure to connect.
  public static func reason(_ error: any Error) -> String? {
    switch error {
    case NIOSSLError.handshakeFailed(let cause) where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
      "Its certificate is not one that this machine trusts."
    case is NIOSSLError, is BoringSSLError: "It does not speak TLS as it should."
    case is NIOConnectionError: "Nobody listens there."
    case let error as IOError where error.errnoCode == ECONNREFUSED: "Nobody listens there."
    case let error as HTTPClientError: "The connection failed: \(error.shortDescription)."
    case is IOError, is ChannelError: "The connection ended."
    default: nil
    }
  }
}
