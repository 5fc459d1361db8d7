#include "support/sha256.hpp"

#include <openssl/evp.h>

#include <fstream>
#include <memory>
#include <vector>

#include "support/error.hpp"

namespace lcn {
namespace {

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

Context start() {
  Context context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
    throw Error(ErrorKind::internal, "OpenSSL", "EVP_DigestInit_ex", 0, "no SHA-256");
  return context;
}

void update(Context& context, const char* data, std::size_t size) {
  if (EVP_DigestUpdate(context.get(), data, size) != 1)
    throw Error(ErrorKind::internal, "OpenSSL", "EVP_DigestUpdate", 0, "digest failed");
}

Sha256 finish(Context& context) {
  Sha256 digest;
  if (EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
    throw Error(ErrorKind::internal, "OpenSSL", "EVP_DigestFinal_ex", 0, "digest failed");
  return digest;
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  Context context = start();
  update(context, bytes.data(), bytes.size());
  return finish(context);
}

Sha256 sha256_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path + ": cannot be read");
  Context context = start();
  std::vector<char> buffer(1 << 16);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    update(context, buffer.data(), static_cast<std::size_t>(file.gcount()));
  return finish(context);
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static const char* digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace lcn
