import NIOSSL

extension GatewayConfiguration.Certificate {
  /// TLS 1.2 or later with this certificate.
  func tls() throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate.fromPEMFile(chainFile).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
