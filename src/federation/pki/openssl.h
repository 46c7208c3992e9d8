// Owning handles for OpenSSL objects, and conversion from and to PEM text. Only files in
// src/federation/pki include this header.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "federation/pki/secret_text.h"
#include "firm/error.h"

namespace firm::pki {

template <auto Free>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

template <typename T, auto Free>
using Handle = std::unique_ptr<T, Release<Free>>;

using Bio = Handle<BIO, BIO_free_all>;
using BigNumber = Handle<BIGNUM, BN_free>;
using Digest = Handle<EVP_MD_CTX, EVP_MD_CTX_free>;
using PrivateKey = Handle<EVP_PKEY, EVP_PKEY_free>;
using X509Certificate = Handle<X509, X509_free>;
using X509Request = Handle<X509_REQ, X509_REQ_free>;
using X509Extension = Handle<X509_EXTENSION, X509_EXTENSION_free>;
using Store = Handle<X509_STORE, X509_STORE_free>;
using StoreContext = Handle<X509_STORE_CTX, X509_STORE_CTX_free>;
using Names = Handle<GENERAL_NAMES, GENERAL_NAMES_free>;

// Read the first PEM block of their type in `text`. Throw firm::Error (kData); `where` names the
// file.
X509Certificate read_certificate(const std::string& text, const std::string& where);
// Refuses a request that is not signed by its own key, or whose key is not P-256.
X509Request read_request(const std::string& text, const std::string& where);
// Never asks for a password.
PrivateKey read_private_key(const std::string& text, const std::string& where);

std::string to_pem(X509* certificate);
std::string to_pem(X509_REQ* request);
// PKCS#8, unencrypted.
SecretText to_pem(EVP_PKEY* key);

PrivateKey new_private_key();
bool is_p256(const EVP_PKEY* key);
std::string key_type_text(const EVP_PKEY* key);

// SHA-256 in hexadecimal, of the whole certificate and of the public key.
std::string fingerprint(X509* certificate);
std::string key_fingerprint(EVP_PKEY* key);

// Makes an Error of kind kNetwork from the four parts of a Mismatch.
Error network_error(const Mismatch& m);

}  // namespace firm::pki
