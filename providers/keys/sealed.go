package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"
)

const (
	strength = 18       // log2 of scrypt's work: about a second, once for each start and each change
	maxFile  = 16 << 20 // bytes; a thousand keys are a tenth of that
)

// unseal reads secrets that seal wrote.
func unseal(file io.Reader, passphrase string) (map[string]string, error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, ErrNoPassphrase
	}
	plain, err := age.Decrypt(file, identity)
	if err != nil {
		if errors.Is(err, age.ErrIncorrectIdentity) {
			return nil, ErrWrongPassphrase
		}
		return nil, fmt.Errorf("reading the file of keys: %w", err)
	}
	secrets := map[string]string{}
	if err := json.NewDecoder(io.LimitReader(plain, maxFile)).Decode(&secrets); err != nil {
		return nil, errors.New("the file of keys is damaged; put a copy of it back, or remove it and paste the keys again")
	}
	return secrets, nil
}

// seal encrypts secrets under a passphrase, with 2^strength of scrypt's work.
func seal(secrets map[string]string, passphrase string, strength int) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	recipient.SetWorkFactor(strength)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, recipient)
	if err == nil {
		err = errors.Join(json.NewEncoder(w).Encode(secrets), w.Close())
	}
	return out.Bytes(), err
}

// replace puts a file in place, whole or not at all, for its owner's eyes only.
func replace(path string, content []byte) error {
	next, err := os.CreateTemp(filepath.Dir(path), ".keys-") // made for its owner alone
	if err != nil {
		return err
	}
	_, err = next.Write(content)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	return nil
}
