import NIOSSL

extension GatewayConfiguration.Certificate {
  /// What is wrong with one of the two files.
  struct Fault: Error {
    let isOfKey: Bool
    let rule: String
  }

  /// TLS 1.2 or later with this certificate.
  ///
  /// - Throws: ``Fault``.
  func tls() throws -> TLSConfiguration {
    let chain: [NIOSSLCertificateSource]
    do {
      chain = try NIOSSLCertificate.fromPEMFile(chainFile).map { .certificate($0) }
    } catch {
      throw Fault(isOfKey: false, rule: "must be a file of certificates in PEM, which \"\(chainFile)\" is not (\(error))")
    }
    let key: NIOSSLPrivateKey
    do {
      key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
    } catch {
      throw Fault(isOfKey: true, rule: "must be a file of a private key in PEM, which \"\(keyFile)\" is not (\(error))")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do {
      _ = try NIOSSLContext(configuration: configuration)
    } catch {
      throw Fault(
        isOfKey: true, rule: "must be the key of the certificate in \"\(chainFile)\", which \"\(keyFile)\" is not (\(error))")
    }
    return configuration
  }
}
